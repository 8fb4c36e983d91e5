// Hashed and public files: media types, ETags from content, and the compressed files that the gateway sends (G3).

import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { copyFile, glob, mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { dirname, extname, join, sep } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip, zstdCompress } from 'node:zlib'
import type { FileEntry } from '../../../services/shared/wire/build-output.ts'
import { type AppFolder, BuildError } from '../folder/app-folder.ts'
import { contentHash, type GeneratedFiles } from '../folder/generated-files.ts'

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.map': 'application/json; charset=utf-8',
  '.webmanifest': 'application/manifest+json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.xml': 'application/xml; charset=utf-8',
  '.ico': 'image/x-icon',
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.webp': 'image/webp',
  '.avif': 'image/avif',
  '.gif': 'image/gif',
  '.woff': 'font/woff',
  '.woff2': 'font/woff2',
  '.ttf': 'font/ttf',
  '.otf': 'font/otf',
  '.wasm': 'application/wasm',
  '.pdf': 'application/pdf',
  '.mp3': 'audio/mpeg',
  '.mp4': 'video/mp4',
  '.webm': 'video/webm',
}
const COMPRESSIBLE = /^text\/|json|xml|svg|wasm|font\/(ttf|otf)|x-icon/
/** Smaller files are not compressed: the Content-Encoding header would cost more than compression saves. */
const MIN_COMPRESSED_BYTES = 512

const ENCODERS = {
  br: {
    suffix: '.br',
    run: (bytes: Buffer) => promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }),
  },
  zstd: {
    suffix: '.zst',
    run: (bytes: Buffer) => promisify(zstdCompress)(bytes, { params: { [constants.ZSTD_c_compressionLevel]: 19 } }),
  },
  gzip: { suffix: '.gz', run: (bytes: Buffer) => promisify(gzip)(bytes, { level: 9 }) },
} as const

interface Sources {
  folder: { dir: string }
  generated: GeneratedFiles
}

/** Entries of all files of the browser bundle. Writes the compressed files next to them. */
export async function readBuiltFiles(dir: string, { folder, generated }: Sources): Promise<Record<string, FileEntry>> {
  const entries: Record<string, FileEntry> = {}
  for (const name of await filesBelow(dir)) {
    const path = join(dir, name)
    const bytes = await readFile(path)
    entries[name] = await addFile(path, bytes, contentHash(folder.dir, path, bytes, generated))
  }
  return entries
}

/** The URL paths of the files in public/. */
export async function publicPaths(appDir: string): Promise<string[]> {
  const dir = join(appDir, 'public')
  return existsSync(dir) ? (await filesBelow(dir)).map((name) => `/${name}`) : []
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
  const type = typeOf(path)
  const encodings: FileEntry['encodings'] = {}
  if (COMPRESSIBLE.test(type) && bytes.length >= MIN_COMPRESSED_BYTES)
    for (const [name, { suffix, run }] of Object.entries(ENCODERS)) {
      const compressed = await run(bytes)
      if (compressed.length >= bytes.length) continue
      await writeFile(path + suffix, compressed)
      encodings[name as keyof typeof ENCODERS] = compressed.length
    }
  return { size: bytes.length, type, etag: `"${hash.slice(0, 20)}"`, encodings }
}

/** Throws BuildError for a public file with the path of a page or API handler. */
export function refuseShadowedPages({ pages, apiRoutes }: AppFolder, publicPaths: string[]): void {
  for (const { pattern, file } of [...pages, ...apiRoutes])
    if (publicPaths.includes(pattern))
      throw new BuildError(`public${pattern} and ${file}: a public file and a page must not have the same path`)
}

/** Media type by file extension. */
export function typeOf(path: string): string {
  return TYPES[extname(path).toLowerCase()] ?? 'application/octet-stream'
}

async function filesBelow(dir: string): Promise<string[]> {
  // A star matches no name that begins with a dot; .well-known is the one such folder to publish.
  const names = await Array.fromAsync(glob(['**/*', '**/.well-known/**'], { cwd: dir }))
  const files: string[] = []
  for (const name of new Set(names)) {
    if (name.split(sep).some((part) => part.startsWith('.') && part !== '.well-known')) continue
    if ((await stat(join(dir, name))).isFile()) files.push(name.split(sep).join('/'))
  }
  return files.sort()
}
