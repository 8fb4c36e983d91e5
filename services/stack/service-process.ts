// One service as a child process: starts it, waits until it is ready, starts it again after an exit (restart-policy.ts),
// stops it.

import { type ChildProcess, spawn } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { probeReady } from '@portico/shared/kit/life/replica-probe.ts'
import { afterExit, NO_EXITS } from '@portico/shared/kit/life/restart/restart-policy.ts'
import type { StackLog } from './pretty-log.ts'

const READY_POLL_MS = 50
const PROBE_TIMEOUT_MS = 2000

export interface ServiceProcess {
  readonly name: string
  /** Process id while it runs. */
  pid(): number | undefined
  /**
   * Resolves when the process listens and its /readyz reports ready; rejects after rejected settings, too many exits, or the
   * time limit.
   */
  ready(timeoutMs: number): Promise<void>
  /** Replaces the process by one with another environment; resolves when the earlier process has exited. */
  restart(environment: NodeJS.ProcessEnv, deadlineMs: number): Promise<void>
  /** SIGTERM, and SIGKILL at the deadline; resolves with the exit code. */
  stop(deadlineMs: number): Promise<number>
  kill(): void
}

interface ServiceProcessOptions {
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
  let wasReady = false
  /** The process that has said that it listens. */
  let listening: ChildProcess | undefined
  let isStopping = false
  let { environment } = options
  let restarts = NO_EXITS
  /** Their exits are no faults. */
  const replaced = new WeakSet<ChildProcess>()
  let giveUp: (error: Error) => void = () => {}
  const gaveUp = new Promise<never>((_, reject) => {
    giveUp = reject
  })
  // Only ready() listens to this promise, and not for ever.
  gaveUp.catch(() => {})

  const start = () => {
    const startedAt = Date.now()
    const started = spawnService({ ...options, environment })
    child = started
    child.once('message', () => (listening = started))
    child.stdout?.setEncoding('utf8').on('data', log.writerFor(name))
    child.stderr?.setEncoding('utf8').on('data', log.writerFor(name))
    child.once('error', (error) => giveUp(error))
    child.once('exit', (code, signal) => {
      if (isStopping || replaced.has(started)) return
      const restart = afterExit(restarts, { name, code, signal, ranMs: Date.now() - startedAt, wasReady })
      if (restart.kind === 'give-up') return giveUp(restart.error)
      restarts = restart.state
      log.say(restart.message, {}, 'warn')
      setTimeout(() => {
        if (!isStopping && child === started) start()
      }, restart.pauseMs)
    })
  }
  start()
  const sayKilled = (deadlineMs: number) =>
    log.say(`${name} did not stop within ${deadlineMs} ms and is killed`, {}, 'warn')

  return {
    name,
    pid: () => (hasExited(child) ? undefined : child.pid),
    async ready(timeoutMs) {
      const limit = new AbortController()
      try {
        await Promise.race([
          pollReady(options.readyUrl, () => listening === child, limit.signal),
          gaveUp,
          late(name, timeoutMs, limit.signal),
        ])
        wasReady = true
      } finally {
        limit.abort()
      }
    },
    async restart(next, deadlineMs) {
      environment = next
      const earlier = child
      replaced.add(earlier)
      await stopChild(earlier, deadlineMs, () => sayKilled(deadlineMs))
      if (!isStopping && child === earlier) start()
    },
    async stop(deadlineMs) {
      isStopping = true
      return stopChild(child, deadlineMs, () => sayKilled(deadlineMs))
    },
    kill() {
      isStopping = true
      child.kill('SIGKILL')
    },
  }
}

function spawnService({ script, nodeFlags, cwd, environment }: ServiceProcessOptions): ChildProcess {
  return spawn(process.execPath, [...nodeFlags, script], {
    cwd,
    env: environment,
    // The service sends one message, when it listens (run-service.ts), and notices by the end of the channel that the stack
    // has exited, even after SIGKILL.
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    // A separate process group: Ctrl-C reaches only the stack, which stops the services in order.
    detached: true,
  })
}

function hasExited({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null
}

/** Resolves with the exit code. */
async function stopChild(child: ChildProcess, deadlineMs: number, onDeadline: () => void): Promise<number> {
  if (hasExited(child)) return child.exitCode ?? 1
  const exited = new Promise<number>((resolve) => child.once('exit', (code) => resolve(code ?? 1)))
  child.kill('SIGTERM')
  const timer = setTimeout(() => {
    onDeadline()
    child.kill('SIGKILL')
  }, deadlineMs)
  const code = await exited
  clearTimeout(timer)
  return code
}

async function pollReady(url: string, isListening: () => boolean, signal: AbortSignal): Promise<void> {
  const { hostname, port } = new URL(url)
  // The time limit and the exit event end this loop.
  while (!signal.aborted) {
    // Before the process listens, another program on its port could respond.
    if (isListening() && (await probeReady(hostname, Number(port), PROBE_TIMEOUT_MS)).result === 'ready') return
    await sleep(READY_POLL_MS)
  }
}

async function late(name: string, timeoutMs: number, signal: AbortSignal): Promise<void> {
  await sleep(timeoutMs, undefined, { signal })
  throw new Error(`${name} is not ready after ${timeoutMs / 1000} s`)
}
