// The files of dist/prerendered/<hash>: one for each page, named by a hash of pattern and params, so that nothing is read
// before its page is requested, and an index with what getStaticPaths returned. A renderer whose dist/ was replaced by
// another build finds no file, instead of pages with the addresses of that build.

import { createHash } from 'node:crypto'
import { access, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isRecord, parseJson } from '@portico/shared/wire/json/json-value.ts'
import { PRERENDERED_FOLDER } from '@portico/shared/wire/prerender/prerender-messages.ts'
import type { CachedOutcome, CacheEntry } from '../cache/page-cache.ts'
import type { ListedPath } from '../render/page-identity.ts'

/** One page as the build rendered it. */
interface StoredPage extends Pick<CacheEntry, 'freshForMs' | 'tags'> {
  outcome: CachedOutcome
  /** When the render began, in milliseconds since 1970. */
  renderedAt: number
}

/** What getStaticPaths returned. */
export interface StoredPaths {
  fallback: boolean | 'blocking'
  /** The first of the known paths: the files say which paths are known. */
  first: ListedPath[]
}

export interface PrerenderedIndex {
  buildId: string
  /** Hash of the public values, which are in every document. */
  publicEnvHash: string
  /** By pattern. */
  paths: Record<string, StoredPaths>
}

const INDEX = 'index.json'
const NEWLINE = 0x0a
const NO_BYTES = Buffer.alloc(0)
/** Before the head of a page. */
const CHECKSUM_BYTES = 32

/** `dist` is the folder of a build, `hash` that of its manifest. */
export function prerenderedFolder(dist: string, hash: string): string {
  return join(dist, PRERENDERED_FOLDER, hash)
}

export async function writeIndex(folder: string, index: PrerenderedIndex): Promise<void> {
  await writeFile(join(folder, INDEX), JSON.stringify(index))
}

/** Throws for an index that cannot be read, or that belongs to another build. */
export async function readIndex(folder: string, buildId: string): Promise<PrerenderedIndex> {
  const index = parseJson(await readFile(join(folder, INDEX), 'utf8'))
  // The build of this repository wrote the file: the build id implies the shape.
  if (isRecord(index) && index.buildId === buildId) return index as unknown as PrerenderedIndex
  throw new Error(`${INDEX} is not of this build`)
}

/** Returns a hash of what the page contains, without its times. `key` is that of `paramsKey`. */
export async function writePage(folder: string, key: string, page: StoredPage): Promise<string> {
  const { outcome, renderedAt, freshForMs, tags } = page
  const { html, data, ...rest } = { html: NO_BYTES, data: NO_BYTES, ...outcome }
  const head = { ...rest, htmlBytes: html.length, renderedAt, freshForMs: freshForMs ?? null, tags }
  const content = Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), html, data])
  await writeFile(fileOf(folder, key), Buffer.concat([checksumOf(content), content]))
  return createHash('sha256')
    .update(JSON.stringify([key, rest, freshForMs ?? null, tags]))
    .digest('hex')
}

/** Keeps a known path without a page: the first request renders it. */
export async function writeKnownPath(folder: string, key: string): Promise<void> {
  await writeFile(fileOf(folder, key), '')
}

/** Whether getStaticPaths has listed the path; undefined where the folder was removed. */
export async function isKnownPath(folder: string, key: string): Promise<boolean | undefined> {
  if (await exists(fileOf(folder, key))) return true
  return (await exists(join(folder, INDEX))) ? false : undefined
}

function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  )
}

/**
 * Undefined for a page that the build has not rendered. Throws for a file with other bytes than writePage wrote: a disk that
 * was full or a copy that ended early may leave a part of the page, or zeros of its length.
 */
export async function readPage(folder: string, key: string): Promise<StoredPage | undefined> {
  const file = fileOf(folder, key)
  const stored = await readFile(file).catch(() => undefined)
  if (!stored || stored.length === 0) return undefined
  const bytes = stored.subarray(CHECKSUM_BYTES)
  if (!checksumOf(bytes).equals(stored.subarray(0, CHECKSUM_BYTES))) throw new Error(`${file} is damaged`)
  const end = bytes.indexOf(NEWLINE)
  // writePage wrote the head.
  const head = JSON.parse(bytes.toString('utf8', 0, end)) as Record<string, unknown>
  const { htmlBytes, renderedAt, freshForMs, tags, ...rest } = head
  const htmlEnd = end + 1 + Number(htmlBytes)
  const bodies = rest.kind === 'page' && { html: bytes.subarray(end + 1, htmlEnd), data: bytes.subarray(htmlEnd) }
  return {
    outcome: { ...rest, ...bodies } as unknown as CachedOutcome,
    renderedAt: renderedAt as number,
    freshForMs: (freshForMs as number | null) ?? undefined,
    tags: tags as string[],
  }
}

function checksumOf(bytes: Buffer): Buffer {
  return createHash('sha256').update(bytes).digest()
}

function fileOf(folder: string, key: string): string {
  return join(folder, createHash('sha256').update(key).digest('hex').slice(0, 40))
}
