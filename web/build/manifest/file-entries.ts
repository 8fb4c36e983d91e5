// The manifest's entries of hashed and public files, with ETags from content, and the compressed files that the gateway
// sends (G3).

import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip, zstdCompress } from 'node:zlib'
import type { FileEntry } from '@portico/shared/wire/build-output.ts'
import {
  COMPRESSION,
  ENCODING_SUFFIX,
  ENCODINGS,
  type Encoding,
  isCompressibleType,
} from '@portico/shared/wire/encodings.ts'
import { contentHash, type GeneratedFiles } from '../folder/generated-files.ts'
import { listFiles, publicPaths } from '../folder/public-files.ts'
import { mediaTypeOf } from './media-types.ts'

const LEVELS = COMPRESSION.built
const ENCODERS: Readonly<Record<Encoding, (bytes: Buffer) => Promise<Buffer>>> = {
  br: (bytes) => promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: LEVELS.br } }),
  // Of a known size: zstd else clears memory for the largest window of the level, 90 ms of a processor for 3 kB.
  zstd: (bytes) =>
    promisify(zstdCompress)(bytes, {
      pledgedSrcSize: bytes.length,
      params: { [constants.ZSTD_c_compressionLevel]: LEVELS.zstd },
    }),
  gzip: (bytes) => promisify(gzip)(bytes, { level: LEVELS.gzip }),
}

interface Sources {
  folder: { dir: string }
  generated: GeneratedFiles
}

/** Entries of all files of the browser bundle. Writes the compressed files next to them. */
export async function readBuiltFiles(dir: string, { folder, generated }: Sources): Promise<Record<string, FileEntry>> {
  const entries: Record<string, FileEntry> = {}
  for (const name of await listFiles(dir)) {
    const path = join(dir, name)
    const bytes = await readFile(path)
    entries[name] = await addFile(path, bytes, contentHash(folder.dir, path, bytes, generated))
  }
  return entries
}

/** Copies public/ to `target` and returns an entry for each file; keys begin with a slash. */
export async function copyPublicFiles(
  appDir: string,
  target: string,
  { folder, generated }: Sources,
): Promise<Record<string, FileEntry>> {
  const from = join(appDir, 'public')
  await mkdir(target, { recursive: true })
  const entries: Record<string, FileEntry> = {}
  for (const name of await publicPaths(appDir)) {
    const path = join(target, name)
    await mkdir(dirname(path), { recursive: true })
    await copyFile(join(from, name), path)
    const bytes = await readFile(path)
    entries[name] = await addFile(path, bytes, contentHash(folder.dir, join(from, name), bytes, generated))
  }
  return entries
}

/** Writes a file (unless it exists) and its compressed forms (if they are smaller). */
export async function addFile(
  path: string,
  bytes: Buffer,
  hash = createHash('sha256').update(bytes).digest('hex'),
): Promise<FileEntry> {
  if (!existsSync(path)) await writeFile(path, bytes)
  const type = mediaTypeOf(path)
  const encodings: FileEntry['encodings'] = {}
  if (isCompressibleType(type) && bytes.length >= LEVELS.leastBytes)
    for (const encoding of ENCODINGS) {
      const compressed = await ENCODERS[encoding](bytes)
      if (compressed.length >= bytes.length) continue
      await writeFile(path + ENCODING_SUFFIX[encoding], compressed)
      encodings[encoding] = compressed.length
    }
  return { size: bytes.length, type, etag: `"${hash.slice(0, 20)}"`, encodings }
}
