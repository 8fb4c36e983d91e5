// Published files in a folder of DATA_DIR, for one machine without Redis.

import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { FileEntry } from '@portico/shared/wire/build-output.ts'
import { KEPT_PUBLIC_DISK_BYTES } from '@portico/shared/wire/constants.ts'
import { ENCODINGS } from '@portico/shared/wire/encodings.ts'
import type { FileForm, StoredFile } from '../exchange/exchange.ts'
import { FORM_SUFFIX } from './build-files.ts'
import { type FileStore, type Folder, PUBLISHED_SECONDS, type PublishedFile } from './old-builds.ts'

/**
 * Suffix of the FileEntry next to each hashed file. The entry is written last, so that a file with an entry is complete; its
 * time is the time of publishing. A public file is one file that begins with its entry: another build may replace both at
 * any time.
 */
const META = '.meta.json'
const DRAFT = /\.\d+\.draft$/
const FOLDERS: readonly Folder[] = ['static', 'manifest', 'public']

/** Keeps files below `<dataDir>/builds`. `now` is in milliseconds since 1970, as file times are. */
export function createDiskFileStore(dataDir: string, now: () => number = Date.now): FileStore {
  const root = join(dataDir, 'builds')
  const timedFile = (folder: Folder, name: string) => join(root, folder, folder === 'public' ? name : `${name}${META}`)
  const isExpired = async (file: string) => now() - (await stat(file)).mtimeMs >= PUBLISHED_SECONDS * 1000
  const keep = (file: string) => utimes(file, now() / 1000, now() / 1000)

  /** Without drafts of another gateway, which disappear. */
  const publicNames = async () => (await readdir(join(root, 'public'))).filter((name) => !DRAFT.test(name))

  const removeOld = async (folder: Folder) => {
    const ending = folder === 'public' ? '' : META
    for (const file of await readdir(join(root, folder))) {
      const path = join(root, folder, file)
      if (DRAFT.test(file)) {
        // A process that was killed left it; a draft of a running gateway is young, and disappears.
        if (await isExpired(path).catch(() => false)) await rm(path, { force: true })
      } else if (file.endsWith(ending) && (await isExpired(path))) {
        const name = path.slice(0, path.length - ending.length)
        await Promise.all([META, ...Object.values(FORM_SUFFIX)].map((suffix) => rm(name + suffix, { force: true })))
      }
    }
  }

  return {
    async begin() {
      for (const folder of FOLDERS) {
        await mkdir(join(root, folder), { recursive: true })
        await removeOld(folder)
      }
    },
    async renew({ folder, name, entry }) {
      const file = timedFile(folder, name)
      if (folder === 'public' && (await readPublic(file))?.entry.etag !== entry.etag) return false
      if (folder !== 'public' && !(await isWhole(join(root, folder, name), entry))) return false
      return keep(file).then(
        () => true,
        () => false,
      )
    },
    async write(published) {
      const { folder, name, entry } = published
      const file = timedFile(folder, name)
      if (folder === 'public') await writeWhole(file, await publicBytes(published))
      else {
        const forms = formsOf(entry)
        for (const form of forms)
          await writeWhole(join(root, folder, name) + FORM_SUFFIX[form], await published.read(form))
        await writeWhole(file, Buffer.from(JSON.stringify(entry)))
      }
      await keep(file)
    },
    async publicRoomBytes() {
      let bytes = KEPT_PUBLIC_DISK_BYTES
      for (const name of await publicNames()) bytes -= (await stat(timedFile('public', name))).size
      return bytes
    },
    removePublic: (name) => rm(timedFile('public', name), { force: true }),
    async find(folder, name) {
      const file = timedFile(folder, name)
      try {
        if (await isExpired(file)) return undefined
        if (folder === 'public') return await readPublic(file)
        // Written above from a build's manifest.
        const entry = JSON.parse(await readFile(file, 'utf8')) as FileEntry
        const open = async (form: FileForm) => {
          const bytes = await readFile(join(root, folder, name) + FORM_SUFFIX[form])
          return { kind: 'memory', bytes } as const
        }
        return { entry, open }
      } catch {
        // A missing or unreadable entry: the file is not published.
        return undefined
      }
    },
    close() {},
  }
}

/** The forms of a file that exist. */
export function formsOf(entry: FileEntry): FileForm[] {
  return ['identity', ...ENCODINGS.filter((form) => entry.encodings[form] !== undefined)]
}

/** Whether all forms have their size: after a loss of power files may be empty. */
async function isWhole(file: string, entry: FileEntry): Promise<boolean> {
  const sizeOf = async (suffix: string) => (await stat(file + suffix).catch(() => undefined))?.size
  for (const form of formsOf(entry)) {
    const bytes = form === 'identity' ? entry.size : entry.encodings[form]
    if ((await sizeOf(FORM_SUFFIX[form])) !== bytes) return false
  }
  return ((await sizeOf(META)) ?? 0) > 0
}

async function publicBytes({ entry, read }: PublishedFile): Promise<Buffer> {
  return Buffer.concat([Buffer.from(`${JSON.stringify(entry)}\n`), await read('identity')])
}

/** Undefined where there is none, and for a file that is empty or cut short since a loss of power. */
async function readPublic(file: string): Promise<StoredFile | undefined> {
  const whole = await readFile(file).catch(() => undefined)
  const end = whole?.indexOf('\n') ?? -1
  if (!whole || end < 0) return undefined
  // Written by publicBytes: the first line is whole.
  const entry = JSON.parse(whole.toString('utf8', 0, end)) as FileEntry
  const bytes = whole.subarray(end + 1)
  return bytes.length === entry.size ? { entry, open: async () => ({ kind: 'memory', bytes }) } : undefined
}

/** Two gateways may publish at the same time: a rename makes each file appear complete or not at all. */
async function writeWhole(file: string, bytes: Buffer): Promise<void> {
  const draft = `${file}.${process.pid}.draft`
  try {
    await writeFile(draft, bytes)
    await rename(draft, file)
  } catch (error) {
    // A full disk keeps no half of a file.
    await rm(draft, { force: true })
    throw error
  }
}
