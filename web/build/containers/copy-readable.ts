// Copies a file into a container, whose user is not the owner of the files.

import { chmod, copyFile, mkdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'

const READABLE_FILE = 0o444

export async function copyReadable(from: string, to: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true })
  await copyFile(from, to)
  await chmod(to, (await stat(to)).mode | READABLE_FILE)
}
