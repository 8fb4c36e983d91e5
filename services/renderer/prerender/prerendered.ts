// The pages that the build has rendered, as the first entries of the page cache (X9). A file is read when its page is
// requested and not in memory; so a start costs the same for any number of pages.

import type { AppBuild } from '@portico/shared/kit/config/app-build.ts'
import type { AsOf, Feed } from '@portico/shared/kit/feed/feed.ts'
import type { Log } from '@portico/shared/kit/observe/log.ts'
import { LRUCache } from 'lru-cache'
import type { CacheEntry } from '../cache/page-cache.ts'
import {
  isKnownPath,
  type PrerenderedIndex,
  prerenderedFolder,
  readIndex,
  readPage,
  type StoredPaths,
} from './prerendered-files.ts'

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
