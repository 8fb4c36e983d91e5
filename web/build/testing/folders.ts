// Temporary folders for tests.

import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

const folders: string[] = []

/** Writes files, by name and text, to a new folder and returns its path. `below` is a path in the temporary folder. */
export async function createFolder(files: Readonly<Record<string, string>> = {}, below = ''): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'portico-build-')))
  folders.push(folder)
  const dir = join(folder, below)
  await mkdir(dir, { recursive: true })
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(dir, name)), { recursive: true })
    await writeFile(join(dir, name), text)
  }
  return dir
}

/** Removes the folders of all calls of createFolder; for afterEach or afterAll. */
export async function removeFolders(): Promise<void> {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true })
}
