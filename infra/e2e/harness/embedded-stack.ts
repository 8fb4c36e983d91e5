// The stack as `npm start` runs it, on a free port with its own folders.

import { type ChildProcess, spawn } from 'node:child_process'
import { bareEnvironment } from '@portico/shared/kit/testing/bare-environment.ts'
import { root } from '../../checks/sources.ts'
import { PORTICO, processOf } from './framework.ts'
import { childrenOf, ended, makeFolder } from './processes.ts'

export interface EmbeddedStack {
  baseUrl: string
  dataDir: string
  /** The process of `npm start`. */
  child: ChildProcess
  /** Log lines so far, parsed. */
  lines: Record<string, unknown>[]
  /** Process id of the stack itself, the parent of the services. */
  stackId: () => number
  /** Process id of a service, while it runs. */
  serviceId: (name: string) => number | undefined
  /** SIGTERM and wait; resolves with the exit code. */
  stop: () => Promise<number | null>
}

interface EmbeddedOptions {
  appDir: string
  env?: Record<string, string>
  /** Options besides `--json`: `--dev` serves the folder while it is edited. */
  args?: readonly string[]
  /** Building a site for the first time draws its images. */
  timeoutMs?: number
}

/** Starts the stack; resolves when it reports that it is ready, rejects with its log when it ends before. */
export async function startEmbedded({
  appDir,
  env = {},
  args = [],
  timeoutMs = 600_000,
}: EmbeddedOptions): Promise<EmbeddedStack> {
  const data = await makeFolder('data')
  const child = spawn(process.execPath, [PORTICO, 'start', '--json', ...args], {
    cwd: root,
    env: { ...bareEnvironment(), HOST: '127.0.0.1', PORT: '0', APP_DIR: appDir, DATA_DIR: data.path, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const lines: Record<string, unknown>[] = []
  let output = ''
  const baseUrl = await new Promise<string>((resolve, reject) => {
    const timer = setTimeout(() => fail(`not ready after ${timeoutMs / 1000} s`), timeoutMs)
    const fail = (reason: string) => {
      clearTimeout(timer)
      child.kill('SIGTERM')
      reject(new Error(`${reason}\n${output.slice(-6000)}`))
    }
    let rest = ''
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString()
      const parts = (rest + chunk.toString()).split('\n')
      rest = parts.pop() ?? ''
      for (const text of parts) {
        if (!text.startsWith('{')) continue
        const line = JSON.parse(text) as Record<string, unknown>
        lines.push(line)
        if (line.service === 'stack' && line.event === 'ready') {
          clearTimeout(timer)
          resolve(String(line.address))
        }
      }
    })
    child.stderr.on('data', (chunk: Buffer) => {
      output += chunk.toString()
    })
    child.once('exit', (code) => fail(`ended with code ${code} before it was ready`))
  })
  // The command replaces its shell by the stack.
  const stackId = () => child.pid ?? 0
  return {
    baseUrl,
    dataDir: data.path,
    child,
    lines,
    stackId,
    serviceId: (name) => childrenOf(stackId(), processOf(name))[0],
    async stop() {
      child.kill('SIGTERM')
      const { code } = await ended(child)
      await data.remove()
      return code
    },
  }
}
