// The pages that the build has rendered, as the first entries of the page cache (X9), in dist/prerendered/<hash>: one file for
// each page, named by a hash of pattern and params, which is read when its page is requested, and an index with what
// getStaticPaths returned. A start costs the same for any number of pages. A page that was revalidated since, and a file of
// another build or with damaged bytes, is not used. prerender/ writes the files, pages/ looks them up.

import { createHash } from 'node:crypto'
import { access, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { AppBuild } from '@portico/shared/kit/config/app-build.ts'
import type { AsOf, Feed } from '@portico/shared/kit/feed/feed.ts'
import type { Log } from '@portico/shared/kit/observe/log.ts'
import { isRecord, parseJson } from '@portico/shared/wire/json/json-value.ts'
import { PRERENDERED_FOLDER } from '@portico/shared/wire/prerender/prerender-messages.ts'
import type { RouteParams } from '@portico/shared/wire/route-params.ts'
import { LRUCache } from 'lru-cache'
import type { CachedOutcome, CacheEntry } from '../cache/cache.ts'

interface PrerenderedPage {
  entry: Pick<CacheEntry, 'outcome' | 'freshForMs' | 'tags'>
  /** Since the render. */
  ageMs: number
  asOf: AsOf
  /** The document has other public values than those of this process. */
  hasOtherValues: boolean
}

/** Keys are those of `paramsKey`. */
export interface Prerendered {
  /** The page as it was built; undefined where there is none, and where a newer one was rendered since. */
  read(key: string): Promise<PrerenderedPage | undefined>
  /** What getStaticPaths returned during the build; undefined where it was not run, or failed. */
  pathsOf(pattern: string): StoredPaths | undefined
  /** Whether getStaticPaths listed the path during the build; undefined where another build has replaced the folder. */
  isKnown(key: string): Promise<boolean | undefined>
  /** The page was rendered again, because it was too old. */
  refreshed(key: string): void
}

/**
 * Pages whose refresh is remembered when the page cache has no room for their entries any more. Of others the old page is
 * shown once more, as stale, while it is rendered.
 */
const MAX_REFRESHED = 10_000

interface PrerenderedDeps {
  feed: Pick<Feed, 'asOf' | 'position'>
  publicEnvHash: string
  log: Pick<Log, 'warn'>
  /** Milliseconds since 1970. */
  wallNow?: () => number
}

/** Undefined for a build without such pages. */
export async function openPrerendered(
  { dir, manifest }: AppBuild,
  { feed, publicEnvHash, log, wallNow = Date.now }: PrerenderedDeps,
): Promise<Prerendered | undefined> {
  if (manifest.prerendered === undefined) return undefined
  const folder = prerenderedFolder(dir, manifest.prerendered)
  let index: PrerenderedIndex
  try {
    index = await readIndex(folder, manifest.buildId)
  } catch (error) {
    log.warn({ event: 'prerendered-missing', error }, 'pages that the build has rendered cannot be read')
    return undefined
  }
  const asOfRender = createMomentsOfRenders(feed)
  const refreshed = new LRUCache<string, true>({ max: MAX_REFRESHED })
  return {
    async read(key) {
      if (refreshed.has(key) || !asOfRender(0)) return undefined
      const page = await readPage(folder, key).catch((error: unknown) => {
        log.warn({ event: 'prerendered-damaged', error }, 'a page that the build has rendered cannot be read')
        return undefined
      })
      const asOf = page && asOfRender(page.renderedAt)
      if (!asOf || refreshed.has(key)) return undefined
      const { renderedAt, ...entry } = page
      return {
        entry,
        ageMs: Math.max(0, wallNow() - renderedAt),
        asOf,
        hasOtherValues: index.publicEnvHash !== publicEnvHash,
      }
    },
    pathsOf: (pattern) => (Object.hasOwn(index.paths, pattern) ? index.paths[pattern] : undefined),
    isKnown: (key) => isKnownPath(folder, key),
    refreshed: (key) => void refreshed.set(key, true),
  }
}

/**
 * Returns the moment of a render of the build among the changes that this process knows: a mark with a generation later
 * than the render, or than the first read of the marks, makes the page out of date. Generations are times of the state
 * store (`GenerationStore.raise`), so that both are compared as times; the second rule holds whatever the clock of the
 * build showed. The result is undefined before the marks were read, and after the store has lost them: nothing says then
 * which pages are current.
 */
function createMomentsOfRenders(feed: Pick<Feed, 'asOf' | 'position'>): (renderedAt: number) => AsOf | undefined {
  const { unordered } = feed.asOf()
  let loaded: { epoch: string; asOf: AsOf } | undefined
  return (renderedAt) => {
    const { epoch } = feed.position()
    if (epoch === undefined) return undefined
    const { era, generation } = feed.asOf()
    loaded ??= { epoch, asOf: { era, generation, unordered } }
    // A store that has never counted had no marks to lose: all of its marks are later than the first read.
    if (loaded.epoch === '' && epoch !== '' && era === loaded.asOf.era + 1)
      loaded = { epoch, asOf: { era, generation: 0, unordered } }
    if (era !== loaded.asOf.era) return undefined
    return { ...loaded.asOf, generation: Math.min(loaded.asOf.generation, renderedAt) }
  }
}

/** A path of a page, as getStaticPaths lists it. */
export interface ListedPath {
  params: RouteParams
  locale?: string
}

/** One page as the build rendered it. */
interface StoredPage extends Pick<CacheEntry, 'freshForMs' | 'tags'> {
  outcome: CachedOutcome
  /** When the render began, in milliseconds since 1970. */
  renderedAt: number
}

/** What getStaticPaths returned. */
interface StoredPaths {
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
