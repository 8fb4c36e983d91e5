// The manifest's entries of hashed and public files, with ETags from content, and the compressed files that the gateway
// sends (G3).

import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip, zstdCompress } from 'node:zlib'
import type { FileEntry } from '../../../services/shared/wire/build-output.ts'
import { contentHash, type GeneratedFiles } from '../folder/generated-files.ts'
import { listFiles, publicPaths } from '../folder/public-files.ts'
import { mediaTypeOf } from './media-types.ts'

const COMPRESSIBLE = /^text\/|json|xml|svg|wasm|font\/(ttf|otf)|x-icon/
/** Smaller files are not compressed: the Content-Encoding header would cost more than compression saves. */
const MIN_COMPRESSED_BYTES = 512

const ENCODERS = [
  {
    name: 'br',
    suffix: '.br',
    run: (bytes: Buffer) => promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }),
  },
  {
    name: 'zstd',
    suffix: '.zst',
    run: (bytes: Buffer) => promisify(zstdCompress)(bytes, { params: { [constants.ZSTD_c_compressionLevel]: 19 } }),
  },
  { name: 'gzip', suffix: '.gz', run: (bytes: Buffer) => promisify(gzip)(bytes, { level: 9 }) },
] as const

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
  if (COMPRESSIBLE.test(type) && bytes.length >= MIN_COMPRESSED_BYTES)
    for (const { name, suffix, run } of ENCODERS) {
      const compressed = await run(bytes)
      if (compressed.length >= bytes.length) continue
      await writeFile(path + suffix, compressed)
      encodings[name] = compressed.length
    }
  return { size: bytes.length, type, etag: `"${hash.slice(0, 20)}"`, encodings }
}
