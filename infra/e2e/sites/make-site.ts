// Makes an app folder outside the repository: a copy of another one, files over it, and the means to edit it.

import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { copyApp, makeFolder } from '../harness/processes.ts'

/** Contents by path in the app folder. */
export type SiteFiles = Readonly<Record<string, string | Uint8Array>>

export interface EditedSite {
  dir: string
  /** Writes a file; without content as it was at the beginning. */
  write(file: string, content?: string | Uint8Array): Promise<void>
  /** Replaces text that must be there. */
  edit(file: string, from: string, to: string): Promise<void>
  read(file: string): Promise<string>
  removeFile(file: string): Promise<void>
  /** Gives every file its first content, and removes the files that were added. Resolves with false if none differs. */
  reset(): Promise<boolean>
  /** Deletes the folder. */
  remove(): Promise<void>
}

/** Writes the files into the folder, over a copy of `base` if there is one. */
export async function writeSite(dir: string, files: SiteFiles, base?: string): Promise<void> {
  if (base) await copyApp(base, dir)
  for (const [file, content] of Object.entries(files)) await writeInto(dir, file, content)
}

/** Makes a site of these files. */
export async function makeSite(files: SiteFiles): Promise<EditedSite> {
  const { path: dir, remove } = await makeFolder('edited')
  await writeSite(dir, files)
  const added = new Set<string>()
  const write: EditedSite['write'] = (file, content = files[file] ?? '') => {
    if (!Object.hasOwn(files, file)) added.add(file)
    return writeInto(dir, file, content)
  }
  const read = (file: string) => readFile(join(dir, file), 'utf8')
  const removeFile = (file: string) => {
    added.delete(file)
    return rm(join(dir, file))
  }
  const isFirst = async (file: string) => {
    const bytes = await readFile(join(dir, file)).catch(() => undefined)
    return bytes?.equals(Buffer.from(files[file] as string)) === true
  }
  return {
    dir,
    write,
    read,
    edit: async (file, from, to) => write(file, replaced(file, await read(file), from, to)),
    removeFile,
    async reset() {
      const extra = [...added]
      const changed: string[] = []
      for (const file of Object.keys(files)) if (!(await isFirst(file))) changed.push(file)
      await Promise.all([...extra.map(removeFile), ...changed.map((file) => write(file))])
      return extra.length + changed.length > 0
    },
    remove,
  }
}

/** The content of a file of a site with one text replaced by another; the text must be there. */
export function edited(files: SiteFiles, file: string, from: string, to: string): string {
  return replaced(file, String(files[file] ?? ''), from, to)
}

function replaced(file: string, text: string, from: string, to: string): string {
  if (!text.includes(from)) throw new Error(`${file} does not contain ${JSON.stringify(from)}`)
  return text.replaceAll(from, to)
}

async function writeInto(dir: string, file: string, content: string | Uint8Array): Promise<void> {
  await mkdir(dirname(join(dir, file)), { recursive: true })
  await writeFile(join(dir, file), content)
}
