// The browser's manifest of this build (W1). The manifest is small: all its forms are made at boot and kept in memory.

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { compressorsFor } from '@portico/shared/kit/http/compress.ts'
import { entityTag } from '@portico/shared/kit/http/conditional.ts'
import type { FileForm, StoredFile } from '../send/file.ts'

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
