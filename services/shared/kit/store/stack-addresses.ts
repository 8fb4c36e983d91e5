// Where the services of `npm start` listen: the stack chooses free ports, and writes those that commands use into DATA_DIR.

import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createPrivateFolder } from '../config/private-files.ts'

/** Inner ports on this machine. */
interface StackAddresses {
  gateway: URL
  /** One for each replica. */
  images: readonly URL[]
}

const fileOf = (dataDir: string) => join(dataDir, 'stack.json')

/** Until `removeStackAddresses`, or the end of this process. */
export function writeStackAddresses(dataDir: string, { gateway, images }: StackAddresses): void {
  createPrivateFolder(dataDir)
  const text = JSON.stringify({ pid: process.pid, gateway: gateway.href, images: images.map(({ href }) => href) })
  writeFileSync(fileOf(dataDir), text, { mode: 0o600 })
}

/** Leaves the file of a stack that was started later with the same DATA_DIR. */
export function removeStackAddresses(dataDir: string): void {
  if (parse(dataDir)?.pid === process.pid) rmSync(fileOf(dataDir), { force: true })
}

/** Undefined while no stack runs with this DATA_DIR. */
export function readStackAddresses(dataDir: string): StackAddresses | undefined {
  const written = parse(dataDir)
  // SECURITY: after a crash another program may listen at the port, and must not receive the stack's token.
  return written && isRunning(written.pid) ? written : undefined
}

function parse(dataDir: string): (StackAddresses & { pid: number }) | undefined {
  try {
    const { pid, gateway, images } = JSON.parse(readFileSync(fileOf(dataDir), 'utf8')) as Record<string, unknown>
    if (typeof pid !== 'number' || pid <= 0 || typeof gateway !== 'string' || !Array.isArray(images)) return undefined
    return { pid, gateway: new URL(gateway), images: images.map((url) => new URL(String(url))) }
  } catch {
    // No stack has used the folder, or it did not write the whole file.
    return undefined
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // A process of another user exists.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
