// Published files in a folder of DATA_DIR, for one machine without Redis.

import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { FileEntry } from '@portico/shared/wire/build-output.ts'
import { ENCODINGS } from '@portico/shared/wire/encodings.ts'
import { FORM_SUFFIX } from './build-files.ts'
import { type FileStore, type Folder, PUBLISHED_SECONDS, type PublishedFile } from './old-builds.ts'
import type { FileForm } from './send-file.ts'

/**
 * Suffix of the FileEntry next to each file. The entry is written last, so that a file with an entry is complete; its time
 * is the time of publishing.
 */
const META = '.meta.json'

/** Keeps files below `<dataDir>/builds`. `now` is in milliseconds since 1970, as file times are. */
export function createDiskFileStore(dataDir: string, now: () => number = Date.now): FileStore {
  const root = join(dataDir, 'builds')
  const metaOf = (folder: Folder, name: string) => join(root, folder, `${name}${META}`)

  const publishOne = async ({ folder, name, entry, read }: PublishedFile) => {
    const meta = metaOf(folder, name)
    const seconds = now() / 1000
    const isKnown = await utimes(meta, seconds, seconds).then(
      () => true,
      () => false,
    )
    if (isKnown) return
    for (const form of formsOf(entry)) await writeWhole(join(root, folder, name) + FORM_SUFFIX[form], await read(form))
    await writeWhole(meta, Buffer.from(JSON.stringify(entry)))
    await utimes(meta, seconds, seconds)
  }

  const removeOld = async (folder: Folder) => {
    for (const file of await readdir(join(root, folder))) {
      if (!file.endsWith(META)) continue
      const { mtimeMs } = await stat(join(root, folder, file))
      if (now() - mtimeMs < PUBLISHED_SECONDS * 1000) continue
      const name = join(root, folder, file.slice(0, -META.length))
      await Promise.all([META, ...Object.values(FORM_SUFFIX)].map((suffix) => rm(name + suffix, { force: true })))
    }
  }

  return {
    async publish(files) {
      for (const folder of ['static', 'manifest'] as const) {
        await mkdir(join(root, folder), { recursive: true })
        await removeOld(folder)
      }
      for (const file of files) await publishOne(file)
    },
    async find(folder, name) {
      const meta = metaOf(folder, name)
      // A missing, unreadable or expired entry: the file is not published.
      const text = await readFile(meta, 'utf8').catch(() => undefined)
      if (text === undefined) return undefined
      if (now() - (await stat(meta)).mtimeMs >= PUBLISHED_SECONDS * 1000) return undefined
      return {
        // Written by publishOne from a build's manifest.
        entry: JSON.parse(text) as FileEntry,
        open: async (form) => ({
          kind: 'memory',
          bytes: await readFile(join(root, folder, name) + FORM_SUFFIX[form]),
        }),
      }
    },
    close() {},
  }
}

/** The forms of a file that exist. */
export function formsOf(entry: FileEntry): FileForm[] {
  return ['identity', ...ENCODINGS.filter((form) => entry.encodings[form] !== undefined)]
}

/** Two gateways may publish at the same time: a rename makes each file appear complete or not at all. */
async function writeWhole(file: string, bytes: Buffer): Promise<void> {
  const draft = `${file}.${process.pid}.draft`
  await writeFile(draft, bytes)
  await rename(draft, file)
}
