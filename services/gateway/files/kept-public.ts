// Public files of other builds (G3): which files of a build are published, and how a gateway finds those of another build.

import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { AppBuild } from '@portico/shared/kit/config/app-build.ts'
import type { Log } from '@portico/shared/kit/observe/log.ts'
import type { FileEntry, Manifest } from '@portico/shared/wire/build-output.ts'
import {
  KEPT_PUBLIC_BUILD_BYTES,
  KEPT_PUBLIC_BUILD_FILES,
  KEPT_PUBLIC_FILE_BYTES,
} from '@portico/shared/wire/constants.ts'
import { createMatchers } from '@portico/shared/wire/middleware/matchers.ts'
import { NO_FACTS } from '@portico/shared/wire/patterns/conditions.ts'
import type { SourceRule } from '@portico/shared/wire/patterns/rule-index.ts'
import { publicKey } from '@portico/shared/wire/routing/public-key.ts'
import { LRUCache } from 'lru-cache'
import type { StoredFile } from '../exchange/exchange.ts'
import type { FileStore, LeftOutReason, OldBuilds, PublishedFile } from './old-builds.ts'

/** The name in the store. `key` is that of the file in `publicFiles`. */
export function keptPublicName(basePath: string, key: string): string {
  return createHash('sha256')
    .update(basePath + key)
    .digest('base64url')
}

interface KeptPublic {
  files: PublishedFile[]
  /** Names of files that a rule of this build guards: an earlier build may have published them without a guard. */
  closed: string[]
  leftOut: Map<LeftOutReason, FileEntry[]>
}

/** The public files of a build that are published: the smallest first, so that most files are kept where not all fit. */
export function keptPublicFiles({ dir, manifest }: AppBuild): KeptPublic {
  const { basePath, publicFiles } = manifest
  const isRuled = createAnyRuled(manifest)
  const kept: KeptPublic = { files: [], closed: [], leftOut: new Map() }
  const leaveOut = (reason: LeftOutReason, entry: FileEntry) => {
    const entries = kept.leftOut.get(reason) ?? []
    entries.push(entry)
    kept.leftOut.set(reason, entries)
  }
  let bytes = 0
  for (const [key, entry] of Object.entries(publicFiles).sort(([, a], [, b]) => a.size - b.size)) {
    if (isRuled(key)) {
      kept.closed.push(keptPublicName(basePath, key))
      leaveOut('guarded', entry)
    } else if (entry.size > KEPT_PUBLIC_FILE_BYTES) leaveOut('file-size', entry)
    else if (bytes + entry.size > KEPT_PUBLIC_BUILD_BYTES || kept.files.length === KEPT_PUBLIC_BUILD_FILES)
      leaveOut('build-limit', entry)
    else {
      bytes += entry.size
      kept.files.push({
        folder: 'public',
        name: keptPublicName(basePath, key),
        entry: { ...entry, encodings: {} },
        read: () => readFile(join(dir, 'public', key)),
      })
    }
  }
  return kept
}

const MOST_REMOVALS = 100

/** SECURITY: a file that a build has closed remains closed when a later build removes the file and its guard. */
export async function removeClosed(store: Pick<FileStore, 'removePublic'>, closed: readonly string[]): Promise<void> {
  for (let at = 0; at < closed.length; at += MOST_REMOVALS)
    await Promise.all(closed.slice(at, at + MOST_REMOVALS).map((name) => store.removePublic(name)))
}

/**
 * Whether a rule may decide about a public file: middleware, a redirect, or a rewrite before files. SECURITY: a gateway of
 * another build does not have these rules. A file for members must not become public when a deploy removes the file and
 * its guard.
 */
function createAnyRuled({ basePath, i18n, middleware, redirects, rewrites }: Manifest): (key: string) => boolean {
  const rules: SourceRule[] = [
    ...(middleware?.matchers ?? []),
    ...redirects,
    ...rewrites.filter(({ phase }) => phase === 'beforeFiles'),
  ]
  const sources = (areBelow: boolean) =>
    rules
      .filter((rule) => (rule.basePath !== false) === areBelow)
      .map(({ source, locale }) => ({ source, ...(locale === false && { locale }) }))
  const fitsBelow = createMatchers(sources(true), i18n)
  const fitsWhole = createMatchers(sources(false), i18n)
  return (key) => {
    const path = key.split('/').map(encodeURIComponent).join('/')
    return fitsBelow(path, NO_FACTS) || fitsWhole(basePath + path, NO_FACTS)
  }
}

/** Files and missing names that one listener remembers. */
const REMEMBERED_BYTES = 8 * 1024 * 1024
/** Estimate for a name that is not in the store. */
const MISSING_BYTES = 256
/** A file that another build publishes or replaces is found after this time. */
const REMEMBERED_MS = 10_000
/** Lookups at the same time: each may bring a file of KEPT_PUBLIC_FILE_BYTES into memory. */
const MOST_LOOKUPS = 16

/** Finds the public file of another build at a raw path below basePath. Never rejects. */
export type FindKeptPublic = (path: string) => Promise<StoredFile | undefined>

interface KeptPublicOptions {
  oldBuilds: OldBuilds
  basePath: string
  log: Pick<Log, 'warn'>
  /** Milliseconds of a monotonic clock. */
  now?: () => number
}

/**
 * Each path is looked up at most once in REMEMBERED_MS. While the store is unavailable, and beyond the limit of lookups, no
 * file is found.
 */
export function createKeptPublicFinder({ oldBuilds, basePath, log, now }: KeptPublicOptions): FindKeptPublic {
  const remembered = new LRUCache<string, { file: StoredFile | undefined }>({
    maxSize: REMEMBERED_BYTES,
    sizeCalculation: ({ file }) => MISSING_BYTES + (file?.entry.size ?? 0),
    ttl: REMEMBERED_MS,
    ttlResolution: 0,
    ...(now && { perf: { now } }),
  })
  const running = new Map<string, Promise<StoredFile | undefined>>()
  let isReported = false

  const lookUp = async (name: string) => {
    // The fault is in the store's own log line.
    const file = await oldBuilds.find('public', name).catch(() => undefined)
    remembered.set(name, { file })
    running.delete(name)
    if (running.size === 0) isReported = false
    return file
  }
  return (path) => {
    const key = publicKey(path)
    if (key === '') return Promise.resolve(undefined)
    const name = keptPublicName(basePath, key)
    const known = remembered.get(name)
    if (known) return Promise.resolve(known.file)
    const begun = running.get(name)
    if (begun) return begun
    if (running.size >= MOST_LOOKUPS) {
      // One line per peak, not one per request.
      if (!isReported) log.warn({ event: 'kept-public-busy' }, 'too many lookups of unknown paths: some are not found')
      isReported = true
      return Promise.resolve(undefined)
    }
    const found = lookUp(name)
    running.set(name, found)
    return found
  }
}
