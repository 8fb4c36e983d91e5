// One service as a child process: starts it, waits until it is ready, starts it again when it dies, stops it.

import { type ChildProcess, spawn } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { BAD_SETTINGS_CODE } from '@portico/shared/kit/config/config.ts'
import { probeReady } from '@portico/shared/kit/life/replica-probe.ts'
import type { StackLog } from './pretty-log.ts'

/** Exits before the first readiness after which the stack gives up: a restart does not fix such a fault. */
const MAX_EXITS_AT_START = 3
const FIRST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 10_000
/** A service that ran this long restarts with the shortest pause. */
const STEADY_AFTER_MS = 30_000
const READY_POLL_MS = 50
const PROBE_TIMEOUT_MS = 2000

/** A service rejected its settings and named them in its log lines. */
export class SettingsRefusedError extends Error {
  override name = 'SettingsRefusedError'
}

export interface ServiceProcess {
  readonly name: string
  /** Process id while it runs. */
  pid(): number | undefined
  /** Resolves when /readyz first reports ready; rejects after rejected settings, too many exits, or the time limit. */
  ready(timeoutMs: number): Promise<void>
  /** SIGTERM, and SIGKILL at the deadline; resolves with the exit code. */
  stop(deadlineMs: number): Promise<number>
  kill(): void
}

export interface ServiceProcessOptions {
  name: string
  /** Path of main.ts. */
  script: string
  nodeFlags: readonly string[]
  cwd: string
  environment: NodeJS.ProcessEnv
  /** Address of /readyz. */
  readyUrl: string
  log: StackLog
}

/** Starts the service immediately. */
export function createServiceProcess(options: ServiceProcessOptions): ServiceProcess {
  const { name, log } = options
  let child: ChildProcess
  let startedAt = 0
  let wasReady = false
  let stopping = false
  let exits = 0
  let pauseMs = FIRST_PAUSE_MS
  let giveUp: (error: Error) => void = () => {}
  const gaveUp = new Promise<never>((_, reject) => {
    giveUp = reject
  })
  // Only ready() listens to this promise, and not for ever.
  gaveUp.catch(() => {})

  const start = () => {
    startedAt = Date.now()
    child = spawnService(options)
    const write = log.writerFor(name)
    child.stdout?.setEncoding('utf8').on('data', write)
    child.stderr?.setEncoding('utf8').on('data', log.writerFor(name))
    child.once('error', (error) => giveUp(error))
    child.once('exit', (code, signal) => {
      if (stopping) return
      exits++
      if (Date.now() - startedAt > STEADY_AFTER_MS) pauseMs = FIRST_PAUSE_MS
      if (!wasReady && code === BAD_SETTINGS_CODE) {
        giveUp(new SettingsRefusedError(`${name} rejected its settings (see the lines above)`))
        return
      }
      const how = signal ? `was ended by ${signal}` : `ended with code ${code}`
      if (!wasReady && exits >= MAX_EXITS_AT_START) {
        giveUp(new Error(`${name} ${how} before it was ready, ${exits} times; see its own message above`))
        return
      }
      log.say(`${name} ${how}; starting it again in ${pauseMs} ms`, {}, 'warn')
      setTimeout(() => {
        if (!stopping) start()
      }, pauseMs)
      pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)
    })
  }
  start()

  return {
    name,
    pid: () => (child.exitCode === null && child.signalCode === null ? child.pid : undefined),
    async ready(timeoutMs) {
      const limit = new AbortController()
      try {
        await Promise.race([pollReady(options.readyUrl, limit.signal), gaveUp, late(name, timeoutMs, limit.signal)])
        wasReady = true
      } finally {
        limit.abort()
      }
    },
    async stop(deadlineMs) {
      stopping = true
      const stopped = child
      if (stopped.exitCode !== null || stopped.signalCode !== null) return stopped.exitCode ?? 1
      const exited = new Promise<number>((resolve) => stopped.once('exit', (code) => resolve(code ?? 1)))
      stopped.kill('SIGTERM')
      const timer = setTimeout(() => {
        log.say(`${name} did not stop within ${deadlineMs} ms and is killed`, {}, 'warn')
        stopped.kill('SIGKILL')
      }, deadlineMs)
      const code = await exited
      clearTimeout(timer)
      return code
    },
    kill() {
      stopping = true
      child.kill('SIGKILL')
    },
  }
}

function spawnService({ script, nodeFlags, cwd, environment }: ServiceProcessOptions): ChildProcess {
  return spawn(process.execPath, [...nodeFlags, script], {
    cwd,
    env: environment,
    // The channel carries no messages: its end tells the service that the stack has exited, even after SIGKILL.
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    // A separate process group: Ctrl-C reaches only the stack, which stops the services in order.
    detached: true,
  })
}

async function pollReady(url: string, signal: AbortSignal): Promise<void> {
  const { hostname, port } = new URL(url)
  while (!signal.aborted) {
    // The service does not respond until it listens; the time limit and the exit event end this loop.
    if ((await probeReady(hostname, Number(port), PROBE_TIMEOUT_MS)) === 'ready') return
    await sleep(READY_POLL_MS)
  }
}

async function late(name: string, timeoutMs: number, signal: AbortSignal): Promise<void> {
  await sleep(timeoutMs, undefined, { signal })
  throw new Error(`${name} is not ready after ${timeoutMs / 1000} s`)
}
