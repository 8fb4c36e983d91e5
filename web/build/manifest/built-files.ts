// The manifest's entries of hashed and public files, with media types, ETags from content, and the compressed files that the
// gateway sends (G3); and the build id.

import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { copyFile, glob, mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, extname, join, sep } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip, zstdCompress } from 'node:zlib'
import type { FileEntry, Manifest } from '@portico/shared/wire/build-output.ts'
import {
  COMPRESSION,
  ENCODING_SUFFIX,
  ENCODINGS,
  type Encoding,
  isCompressibleType,
} from '@portico/shared/wire/encodings.ts'
import { lookup } from 'mrmime'
import { contentHash, type GeneratedFiles, listFiles, publicPaths } from '../folder/folder.ts'

/** What the list of the IANA, from which mrmime is made, lacks or calls otherwise. */
const OTHERS: Readonly<Record<string, string>> = {
  '.flac': 'audio/flac',
  '.ico': 'image/x-icon',
  '.xml': 'application/xml',
}
/** Types of text, which is in UTF-8; SVG names its encoding itself. */
const TEXT = /^text\/|[/+]json$|^application\/xml$/

/** Media type by file extension. */
export function mediaTypeOf(path: string): string {
  const extension = extname(path).toLowerCase()
  const type = OTHERS[extension] ?? (lookup(extension) || 'application/octet-stream')
  return TEXT.test(type) ? `${type}; charset=utf-8` : type
}

const LEVELS = COMPRESSION.built
const ENCODERS: Readonly<Record<Encoding, (bytes: Buffer) => Promise<Buffer>>> = {
  br: (bytes) => promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: LEVELS.br } }),
  // With a known size: zstd else clears memory for the largest window of the level, 90 ms of a processor for 3 kB.
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

// The build id: a hash of the emitted code, the config and the content hash of each file. Equal sources give an equal id on
// every machine. No chunk contains the build id.

/** 16 hex digits. */
export async function computeBuildId(outDir: string, manifest: Manifest): Promise<string> {
  const hash = createHash('sha256')
  for (const part of ['server', 'actions']) {
    const files = await Array.fromAsync(glob('**/*.js', { cwd: join(outDir, part) }))
    for (const file of files.map((name) => name.split(sep).join('/')).sort()) {
      hash.update(`${part}/${file}\0`)
      hash.update(await readFile(join(outDir, part, file)))
    }
  }
  const etags = (files: Manifest['staticFiles']) => Object.entries(files).map(([name, { etag }]) => [name, etag])
  const { buildId: _none, staticFiles, publicFiles, ...rest } = manifest
  hash.update(JSON.stringify([rest, etags(staticFiles), etags(publicFiles)]))
  return hash.digest('hex').slice(0, 16)
}
