// What the benchmarks share: child processes, their processor time, wrk, medians.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { NODE_FLAGS } from '@portico/stack/node-flags.ts'
import { root } from '../checks/sources.ts'
import { makeFolder } from '../e2e/harness/processes.ts'

/**
 * Starts a Node process whose output is shown only on standard error. `cgroup` is the folder of a control group that the
 * process is in from its start: Node reads the memory limit then.
 */
export function startNode(args: string[], environment: Record<string, string> = {}, cgroup?: string): ChildProcess {
  const enter = ['-c', 'echo $$ > "$0/cgroup.procs" && exec "$@"', cgroup ?? '', process.execPath]
  const [program, all] = cgroup === undefined ? [process.execPath, args] : ['/bin/sh', [...enter, ...args]]
  return spawn(program, all, {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, NODE_ENV: 'production', ...environment },
  })
}

/** Starts a service as the stack does. */
export function startService(
  name: keyof typeof NODE_FLAGS,
  environment: Record<string, string>,
  cgroup?: string,
): ChildProcess {
  return startNode([...NODE_FLAGS[name], join(root, 'services', name, 'main.ts')], environment, cgroup)
}

/** Runs a benchmark in a folder of its own; the processes that it adds to `children`, and the folder, do not outlive it. */
export async function withProcesses<T>(
  name: string,
  run: (folder: string, children: ChildProcess[]) => Promise<T>,
): Promise<T> {
  const folder = await makeFolder(name)
  const children: ChildProcess[] = []
  try {
    return await run(folder.path, children)
  } finally {
    for (const child of children) child.kill('SIGKILL')
    await folder.remove()
  }
}

/** Waits until the address responds with 200, 30 s at most. */
export async function waitFor(url: string): Promise<void> {
  for (let attempt = 0; attempt < 300; attempt++) {
    const response = await fetch(url).catch(() => undefined)
    await response?.body?.cancel()
    if (response?.ok) return
    await new Promise((done) => setTimeout(done, 100))
  }
  throw new Error(`${url} did not respond with 200 within 30 s`)
}

/** The process and its descendants, such as the workers of a gateway or the services of a stack (Linux; the process alone elsewhere). */
export function familyOf(id: number): number[] {
  if (process.platform !== 'linux') return [id]
  const children = readFileSync(`/proc/${id}/task/${id}/children`, 'utf8').split(' ').filter(Boolean)
  return [id, ...children.map(Number).flatMap(familyOf)]
}

/** Memory of a process, in mebibytes (Linux; 0 elsewhere). */
export function residentMebibytes(id: number): number {
  if (process.platform !== 'linux') return 0
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${id}/status`, 'utf8'))?.[1]) / 1024
}

/** User and system time of a process so far, in milliseconds (Linux; 0 elsewhere). A tick of /proc is 10 ms. */
export function processorMs(id: number | undefined): number {
  if (process.platform !== 'linux') return 0
  // Fields 14 and 15, counted behind the name in brackets (proc(5)).
  const fields = readFileSync(`/proc/${id}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) * 10
}

interface Load {
  connections: number
  seconds: number
  headers?: Record<string, string>
  /** A later response is a fault; wrk's default is 2. */
  timeoutSeconds?: number
  /** A script for wrk, and what it reads from its environment. */
  script?: string
  environment?: Record<string, string>
}

/** Requests per second by wrk, one thread. Throws when a response was not 2xx or a socket failed. */
export function requestsPerSecond(url: string, load: Load): number {
  const { connections, seconds, headers = {}, timeoutSeconds = 2, script, environment = {} } = load
  const output = execFileSync(
    'wrk',
    [
      ...['-t1', `-c${connections}`, `-d${seconds}s`, '--timeout', `${timeoutSeconds}s`],
      ...Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`]),
      ...(script === undefined ? [] : ['-s', script]),
      url,
    ],
    { encoding: 'utf8', env: { ...process.env, ...environment } },
  )
  if (/Non-2xx|Socket errors/.test(output)) throw new Error(`${url}\n${output}`)
  return Number(/Requests\/sec:\s+([\d.]+)/.exec(output)?.[1])
}

export function median(values: number[]): number {
  const sorted = [...values].sort((left, right) => left - right)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}
