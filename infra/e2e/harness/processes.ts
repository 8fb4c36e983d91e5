// Starts programs for the suite and reports their output when something fails.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { cp, mkdtemp, realpath, rm, utimes } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'

export interface Run {
  code: number
  output: string
}

/** Runs a program to its end. */
export function run(command: string, args: string[], options: { cwd: string; env?: NodeJS.ProcessEnv }): Promise<Run> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    const collect = (chunk: Buffer) => {
      output += chunk.toString()
    }
    child.stdout.on('data', collect)
    child.stderr.on('data', collect)
    child.on('error', reject)
    child.on('close', (code) => resolve({ code: code ?? 1, output }))
  })
}

/** Resolves with code and signal once the process has ended, also when it has already. */
export function ended(child: ChildProcess): Promise<{ code: number | null; signal: NodeJS.Signals | null }> {
  if (child.exitCode !== null || child.signalCode !== null)
    return Promise.resolve({ code: child.exitCode, signal: child.signalCode })
  return new Promise((resolve) => child.once('exit', (code, signal) => resolve({ code, signal })))
}

/** Ids of the running processes whose command holds `part` and whose parent is `parent`. */
export function childrenOf(parent: number, part: string): number[] {
  return listProcesses()
    .filter((entry) => entry.parent === parent && entry.command.includes(part))
    .map((entry) => entry.id)
}

/** Ids of the running processes that a process has started, and of those that they have started. */
export function descendantsOf(id: number): number[] {
  return childrenOf(id, '').flatMap((child) => [child, ...descendantsOf(child)])
}

/** Whether a process runs (a zombie does not). */
export function isRunning(id: number): boolean {
  return listProcesses().some((entry) => entry.id === id && !entry.state.startsWith('Z'))
}

/** Addresses (IPv4 as `127.0.0.1`, IPv6 as the kernel writes it) and ports on which a process listens; Linux only. */
export function listenersOf(id: number): { address: string; port: number }[] {
  const folder = `/proc/${id}/fd`
  const inodes = new Set(readdirSync(folder).map((fd) => /^socket:\[(\d+)\]$/.exec(linkOf(`${folder}/${fd}`))?.[1]))
  const lines = ['tcp', 'tcp6'].flatMap((table) =>
    readFileSync(`/proc/${id}/net/${table}`, 'utf8').split('\n').slice(1),
  )
  return lines.flatMap((line) => {
    const fields = line.trim().split(/\s+/)
    const [address = '', port = ''] = fields[1]?.split(':') ?? []
    if (fields[3] !== LISTENING || !inodes.has(fields[9])) return []
    // IPv4 is written as a number of the machine, its last byte first.
    const isIpv4 = address.length === 8
    const plain = isIpv4 ? [...Buffer.from(address, 'hex')].reverse().join('.') : address
    return [{ address: plain, port: Number.parseInt(port, 16) }]
  })
}

/** State of a socket in the kernel's tables. */
const LISTENING = '0A'

function linkOf(path: string): string {
  try {
    return readlinkSync(path)
  } catch {
    // Closed since the folder was read.
    return ''
  }
}

function listProcesses(): { id: number; parent: number; state: string; command: string }[] {
  const { stdout } = spawnSync('ps', ['-A', '-o', 'pid=,ppid=,stat=,args='], { encoding: 'utf8' })
  return stdout.split('\n').flatMap((line) => {
    const match = /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(line)
    return match
      ? [{ id: Number(match[1]), parent: Number(match[2]), state: match[3] ?? '', command: match[4] ?? '' }]
      : []
  })
}

export interface TemporaryFolder {
  path: string
  remove(): Promise<void>
}

/** A new folder below the system's temporary folder, without links in its path. */
export async function makeFolder(name: string): Promise<TemporaryFolder> {
  const path = await realpath(await mkdtemp(join(tmpdir(), `portico-${name}-`)))
  return { path, remove: () => rm(path, { recursive: true, force: true }) }
}

/** Copies an app folder and its build, if there is one, without what was installed in it. */
export async function copyApp(from: string, to: string): Promise<void> {
  const left: ReadonlySet<string> = new Set(['node_modules', '.portico'])
  await cp(from, to, { recursive: true, filter: (path) => path === from || !left.has(basename(path)) })
  // The stack builds again what changed after the manifest: the copies of the sources did.
  const manifest = join(to, 'dist', 'manifest.json')
  if (!existsSync(manifest)) return
  const now = new Date()
  await utimes(manifest, now, now)
  // File times move in ticks of the kernel: what the caller changes next must be newer than the manifest.
  await new Promise((done) => setTimeout(done, 20))
}
