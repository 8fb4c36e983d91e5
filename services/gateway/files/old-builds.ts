// Hashed files of other builds, older and newer (G3): each gateway publishes its own build's files to the state store
// at boot, and any gateway serves what any build published, for seven days. This file holds the interface
// and the publishing; file-store-disk.ts and file-store-redis.ts store the bytes.

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { AppBuild } from '@portico/shared/kit/config/app-build.ts'
import type { Log } from '@portico/shared/kit/observe/log.ts'
import type { FileEntry } from '@portico/shared/wire/build-output.ts'
import { loadBrowserManifests } from './browser-manifests.ts'
import { FORM_SUFFIX } from './build-files.ts'
import type { FileForm, StoredFile } from './send-file.ts'

const PUBLISHED_DAYS = 7
export const PUBLISHED_SECONDS = PUBLISHED_DAYS * 24 * 60 * 60
/** Interval at which a gateway publishes its files again, so that they never expire while the build runs. */
const RENEW_MS = 12 * 60 * 60 * 1000
/** Pause before publishing is tried again. */
const RETRY_MS = 10_000

export type Folder = 'static' | 'manifest'

export interface OldBuilds {
  /** A file that any build published; undefined when there is none or the store is unavailable. */
  find(folder: Folder, name: string): Promise<StoredFile | undefined>
}

export interface PublishedFile {
  folder: Folder
  name: string
  entry: FileEntry
  read: (form: FileForm) => Promise<Buffer>
}

/** The store of published files. Every implementation passes old-builds.test.ts. */
export interface FileStore extends OldBuilds {
  /** Stores the files for seven days from now; files that are stored already are only renewed. Rejects on failure. */
  publish(files: readonly PublishedFile[]): Promise<void>
  close(): void
}

/** Whether a text may be a name in the store. SECURITY: no separators and no leading dot, against path traversal. */
export function isFileName(name: string): boolean {
  return name.length <= 200 && /^[A-Za-z0-9_@~+()[\]-][A-Za-z0-9_.@~+()[\]-]*$/.test(name)
}

/** All files of a build that clients may request from other gateways. */
export function publishedFiles({ dir, manifest }: AppBuild): PublishedFile[] {
  const folder = join(dir, 'client', 'static')
  const hashed = Object.entries(manifest.staticFiles).map(
    ([name, entry]): PublishedFile => ({
      folder: 'static',
      name,
      entry,
      read: (form) => readFile(join(folder, name) + FORM_SUFFIX[form]),
    }),
  )
  const manifests = loadBrowserManifests(join(dir, 'client', 'manifest'))
  const maps = manifests.names.flatMap((name): PublishedFile[] => {
    const file = manifests.find(name)
    return file ? [{ folder: 'manifest', name, entry: file.entry, read: file.whole }] : []
  })
  return [...hashed, ...maps].filter(({ name }) => isFileName(name))
}

export interface Publisher {
  /** Resolves after the first attempt, whether it succeeded or not: a gateway without its store serves its own files. */
  start(): Promise<void>
  stop(): void
}

/** Publishes a build's files now, and repeatedly while the gateway runs. */
export function createPublisher(files: readonly PublishedFile[], store: FileStore, log: Log): Publisher {
  const stopping = new AbortController()
  const attempt = async (): Promise<boolean> => {
    try {
      await store.publish(files)
      log.info({ event: 'published', files: files.length }, 'files published')
      return true
    } catch (error) {
      log.warn(
        { error, event: 'publish-failed' },
        'publishing failed; gateways of other builds cannot serve the files yet',
      )
      return false
    }
  }
  const repeat = async (succeeded: boolean): Promise<void> => {
    for (let done = succeeded; !stopping.signal.aborted; done = await attempt())
      await sleep(done ? RENEW_MS : RETRY_MS, undefined, { ref: false, signal: stopping.signal })
  }
  return {
    async start() {
      const succeeded = await attempt()
      // Only the abort ends the loop.
      void repeat(succeeded).catch(() => {})
    },
    stop: () => stopping.abort(),
  }
}
