// Files of other builds, older and newer (G3): each gateway publishes its own build's files to the state store at boot, and
// any gateway serves what any build published, for seven days. This file holds the interface and the publishing;
// kept-public.ts chooses the public files, file-store-disk.ts and file-store-redis.ts store the bytes.

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { AppBuild } from '@portico/shared/kit/config/app-build.ts'
import type { Log } from '@portico/shared/kit/observe/log.ts'
import type { FileEntry } from '@portico/shared/wire/build-output.ts'
import type { FileForm, StoredFile } from '../exchange/exchange.ts'
import { FORM_SUFFIX, loadBrowserManifests } from './build-files.ts'

const PUBLISHED_DAYS = 7
export const PUBLISHED_SECONDS = PUBLISHED_DAYS * 24 * 60 * 60
/** Interval at which a gateway publishes its files again, so that they never expire while the build runs. */
const RENEW_MS = 12 * 60 * 60 * 1000
/** Pause before publishing is tried again. */
const RETRY_MS = 10_000

/** Names in `public` say nothing of the content: the gateway that published last decides. The others are hashed. */
export type Folder = 'static' | 'manifest' | 'public'

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

/** The store of published files. Every implementation passes old-builds.test.ts. All functions but `find` reject on failure. */
export interface FileStore extends OldBuilds {
  /** Prepares the store for a series of files. */
  begin(): Promise<void>
  /** Keeps a stored file for seven more days; false for one that is not stored, or was stored with another content. */
  renew(file: PublishedFile): Promise<boolean>
  /** Stores a file for seven days. A public file has the identity form only. */
  write(file: PublishedFile): Promise<void>
  /** Removes a public file, if the store has one of the name. */
  removePublic(name: string): Promise<void>
  /** Bytes that more public files may take. */
  publicRoomBytes(): Promise<number>
  close(): void
}

/** Stores the files for seven days from now. Returns the public files for which the store has no room. */
export async function publishTo(store: FileStore, files: readonly PublishedFile[]): Promise<PublishedFile[]> {
  await store.begin()
  const leftOut: PublishedFile[] = []
  let roomBytes: number | undefined
  for (const file of files) {
    if (await store.renew(file)) continue
    if (file.folder === 'public') {
      roomBytes ??= await store.publicRoomBytes()
      if (file.entry.size > roomBytes) {
        leftOut.push(file)
        continue
      }
      roomBytes -= file.entry.size
    }
    await store.write(file)
  }
  return leftOut
}

/** Whether a text may be a name in the store. SECURITY: no separators and no leading dot, against path traversal. */
export function isFileName(name: string): boolean {
  return name.length <= 200 && /^[A-Za-z0-9_@~+()[\]-][A-Za-z0-9_.@~+()[\]-]*$/.test(name)
}

/** All hashed files of a build that clients may request from other gateways. */
export function hashedFiles({ dir, manifest }: AppBuild): PublishedFile[] {
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

/** Why a public file is not published. */
export type LeftOutReason = 'guarded' | 'file-size' | 'build-limit' | 'store-full'

/** One line for all files with one reason. */
export function reportLeftOut(
  log: Pick<Log, 'info' | 'warn'>,
  reason: LeftOutReason,
  entries: readonly FileEntry[],
): void {
  const bytes = entries.reduce((sum, { size }) => sum + size, 0)
  const fields = { event: 'public-files-left-out', reason, files: entries.length, bytes }
  // A guard is no fault.
  log[reason === 'guarded' ? 'info' : 'warn'](fields, 'public files are not kept for open tabs after they are removed')
}

interface Publisher {
  /** Resolves after the first attempt, whether it succeeded or not: a gateway without its store serves its own files. */
  start(): Promise<void>
  stop(): void
}

/** Publishes a build's files now, and repeatedly while the gateway runs. `more` is done after the files. */
export function createPublisher(
  files: readonly PublishedFile[],
  store: FileStore,
  log: Log,
  more: () => Promise<void> = async () => {},
): Publisher {
  const stopping = new AbortController()
  const attempt = async (): Promise<boolean> => {
    try {
      const leftOut = await publishTo(store, files)
      await more()
      log.info({ event: 'published', files: files.length - leftOut.length }, 'files published')
      if (leftOut.length > 0)
        reportLeftOut(
          log,
          'store-full',
          leftOut.map(({ entry }) => entry),
        )
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
