// What the source of each page says: its exports and its kind of data function.

import { join } from 'node:path'
import type { DataKind } from '@portico/shared/wire/build-output.ts'
import type { RouteFile } from '@portico/shared/wire/routing/routes.ts'
import { kindsOfSources } from '../adapter/active-adapter.ts'
import { attempt, type RefuseFault } from '../build-error.ts'
import type { BundleSources } from '../bundles/bundle-sources.ts'
import { namesOfModule } from '../folder/common-js-names.ts'
import { parseModule } from '../folder/module-syntax.ts'
import { kindOf } from '../manifest/route-files.ts'
import { readSource } from '../transforms/read-source.ts'
import { strip } from '../transforms/strip-data-functions.ts'

export interface PageFacts extends RouteFile {
  kind: DataKind
  exports: ReadonlySet<string>
  /** The page for browsers: without its data functions. */
  browserCode: string
}

interface FolderFacts {
  pages: PageFacts[]
  /** `_app` too. */
  screens: PageFacts[]
}

/** Passes on the faults of exports. A page that cannot be parsed has none: the check of its imports reports it. */
export async function readPageFacts(
  { folder, next }: Pick<BundleSources, 'folder' | 'next'>,
  refuse: RefuseFault,
): Promise<FolderFacts> {
  const kindOfRoute = await kindsOfSources({ folder, next }, [...folder.pages, ...folder.screens])
  const read = async (route: RouteFile): Promise<PageFacts> => {
    const code = await readSource(join(folder.dir, route.file))
    const body = parseModule(code, route.file)
    const exports = namesOfModule(body)
    const kind = body.length === 0 ? undefined : attempt(refuse, () => kindOf(route.file, exports, () => code))
    const browserCode = attempt(refuse, () => strip(code, route.file))?.code ?? code
    const whole = attempt(refuse, () => kindOfRoute(route, kind ?? 'none')) ?? 'none'
    return { ...route, kind: whole, exports, browserCode }
  }
  const app = folder.app === undefined ? [] : [{ pattern: '/_app', file: folder.app }]
  return {
    pages: await Promise.all(folder.pages.map(read)),
    screens: await Promise.all([...folder.screens, ...app].map(read)),
  }
}
