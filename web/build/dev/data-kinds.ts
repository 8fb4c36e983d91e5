// The kind of data function that a page under development exports, found in its source without running the page.

import { join } from 'node:path'
import type { DataKind } from '@portico/shared/wire/build-output.ts'
import { attempt } from '../build-error.ts'
import { namesOfModule } from '../folder/common-js-names.ts'
import { parseModule } from '../folder/module-syntax.ts'
import { kindOf } from '../manifest/route-files.ts'
import { readSource } from '../transforms/read-source.ts'

/** Takes app-relative files; parses a file again only when it changed. */
export type DataKindReader = (file: string) => Promise<DataKind>

/** `compile` returns the source that loaders of the site's configuration make of another one. */
export function createDataKindReader(
  dir: string,
  compile: (path: string, code: string) => Promise<string>,
): DataKindReader {
  const known = new Map<string, { code: string; kind: DataKind }>()
  return async (file) => {
    const path = join(dir, file)
    const code = await compile(path, await readSource(path))
    const last = known.get(file)
    if (last?.code === code) return last.kind
    // A page that cannot be parsed keeps its kind: Vite reports the error with a frame. A page may also be empty while an
    // editor writes it.
    const body = parseModule(code, file)
    if (body.length === 0) return last?.kind ?? 'none'
    // A page that is refused fails when it is loaded, and no other page (vite/module-rules.ts).
    const kind = attempt(
      () => {},
      () => kindOf(file, namesOfModule(body), () => code),
    )
    if (kind === undefined) return last?.kind ?? 'none'
    known.set(file, { code, kind })
    return kind
  }
}
