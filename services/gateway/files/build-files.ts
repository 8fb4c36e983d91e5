// The files of this gateway's own build: looked up in the manifest's index, read from disk once and kept in memory up to
// a limit; the small manifest of browsers (W1) is made at start in all its forms. A request path is only ever a key of
// the index, never a path on disk.

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { compressorsFor } from '@portico/shared/kit/http/compress.ts'
import { entityTag } from '@portico/shared/kit/http/conditional.ts'
import type { FileEntry } from '@portico/shared/wire/build-output.ts'
import { ENCODING_SUFFIX } from '@portico/shared/wire/encodings.ts'
import type { FileBytes, FileForm, StoredFile } from '../exchange/exchange.ts'

/** Larger files are read from disk each time. */
const KEPT_FILE_BYTES = 512 * 1024
/** All files kept by one gateway. */
const KEPT_BYTES = 64 * 1024 * 1024

/** File name suffix of each form. */
export const FORM_SUFFIX: Readonly<Record<FileForm, string>> = { identity: '', ...ENCODING_SUFFIX }

export interface BuildFiles {
  find(name: string): StoredFile | undefined
}

/** Files of `dir` by the keys of `entries`. */
export function createBuildFiles(dir: string, entries: Readonly<Record<string, FileEntry>>): BuildFiles {
  const index = new Map(Object.entries(entries))
  const kept = new Map<string, Buffer>()
  let keptBytes = 0
  const open = async (name: string, entry: FileEntry, form: FileForm): Promise<FileBytes> => {
    const path = join(dir, name) + FORM_SUFFIX[form]
    const size = form === 'identity' ? entry.size : (entry.encodings[form] ?? 0)
    const known = kept.get(path)
    if (known) return { kind: 'memory', bytes: known }
    if (size > KEPT_FILE_BYTES || keptBytes + size > KEPT_BYTES) return { kind: 'disk', path }
    const bytes = await readFile(path)
    if (!kept.has(path)) {
      kept.set(path, bytes)
      keptBytes += bytes.length
    }
    return { kind: 'memory', bytes }
  }
  return {
    find(name) {
      const entry = index.get(name)
      return entry && { entry, open: (form) => open(name, entry, form) }
    },
  }
}

interface BrowserManifests {
  names: string[]
  find(name: string): ManifestFile | undefined
}

interface ManifestFile extends StoredFile {
  whole: (form: FileForm) => Promise<Buffer>
}

/** Reads `dist/client/manifest`; a build under development has none. */
export function loadBrowserManifests(folder: string): BrowserManifests {
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => /^[A-Za-z0-9_-]+\.json$/.test(name)) : []
  const files = new Map(names.map((name) => [name, inMemory(readFileSync(join(folder, name)))]))
  return { names, find: (name) => files.get(name) }
}

function inMemory(identity: Buffer): ManifestFile {
  const { br, zstd, gzip } = compressorsFor('built')
  const forms: Record<FileForm, Buffer> = {
    identity,
    br: br.wholeSync(identity),
    zstd: zstd.wholeSync(identity),
    gzip: gzip.wholeSync(identity),
  }
  return {
    entry: {
      size: identity.length,
      type: 'application/json; charset=utf-8',
      etag: entityTag(identity),
      encodings: { br: forms.br.length, zstd: forms.zstd.length, gzip: forms.gzip.length },
    },
    whole: async (form) => forms[form],
    open: async (form) => ({ kind: 'memory', bytes: forms[form] }),
  }
}
