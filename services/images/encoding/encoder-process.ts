// Starts one encoder child and carries one job at a time to it.

import { type ChildProcess, fork, spawnSync } from 'node:child_process'
import type { Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import {
  type EncodeAnswer,
  type EncodeJob,
  type EncodeReply,
  type EncoderReady,
  type EncodeWork,
  SOURCE_FD,
} from './encoder-messages.ts'

const SCRIPT = fileURLToPath(new URL('./encoder-child.ts', import.meta.url))
/**
 * Programs that start another one with the least priority, best first: cached answers need their core at once, a new
 * picture can wait. Whatever wakes up takes the core from an idle-class process (sched(7)), but waits for the end of a
 * merely nice one's slice. Where others fill every core for seconds neither makes a picture in time, which is then said.
 * Priority is set before the process starts: threads that exist already keep theirs.
 */
const LAUNCHERS = [
  ['chrt', '--idle', '0'],
  ['nice', '-n', '19'],
] as const
/** Not every machine has them, and a sandbox may forbid the system call. */
const LAUNCHER = LAUNCHERS.find(([program, ...args]) => spawnSync(program, [...args, 'true']).status === 0)

export type EncodeEnd =
  | EncodeAnswer
  | { kind: 'died'; reason: string }
  /** Ended from outside, by a system short of memory or as the service closes: that says nothing of the picture. */
  | { kind: 'stopped'; reason: string }
  /** It ran into its deadline. */
  | { kind: 'killed' }
  /** No encoder was free in time. */
  | { kind: 'late' }

export interface EncoderProcess {
  pid: number | undefined
  /** Resolves when libvips is loaded; rejects when the child ends before that. */
  ready: Promise<void>
  /** Runs one job; never rejects. After `limitMs` the child is killed. */
  run(work: EncodeWork, limitMs: number): Promise<EncodeEnd>
  jobs: number
  rssBytes: number
  alive: boolean
  kill(): void
  /** Resolves when the process is gone. */
  ended: Promise<void>
}

export interface EncoderOptions {
  /** The child's whole environment. */
  environment: Readonly<Record<string, string>>
  /** The child's file; tests give another one that misbehaves. */
  script?: string
}

/** Starts a child at once. */
export function startEncoder({ environment, script = SCRIPT }: EncoderOptions): EncoderProcess {
  const child = forkQuietly(script, environment)
  // Opened for writing by forkQuietly.
  const sources = child.stdio[SOURCE_FD] as Writable
  // It breaks when the child ends, which is heard of below.
  sources.on('error', () => {})
  let settleReady: { done: () => void; failed: (error: Error) => void } | undefined
  const ready = new Promise<void>((done, failed) => {
    settleReady = { done, failed }
  })
  // Whoever waits hears of it; nobody waiting is no fault either.
  ready.catch(() => {})
  let current: { id: number; done: (end: EncodeEnd) => void } | undefined
  const settle = (end: EncodeEnd) => {
    current?.done(end)
    current = undefined
  }
  const encoder: EncoderProcess = {
    pid: child.pid,
    ready,
    jobs: 0,
    rssBytes: 0,
    alive: true,
    kill: () => void child.kill('SIGKILL'),
    ended: new Promise((done) => {
      const end = (reason: string) => {
        encoder.alive = false
        settleReady?.failed(new Error(`the encoder ended: ${reason}`))
        settle({ kind: reason === 'SIGKILL' ? 'stopped' : 'died', reason })
        done()
      }
      child.once('error', (error) => end(error.message))
      child.once('exit', (code, signal) => end(signal ?? `exit code ${code}`))
    }),
    run: (work, limitMs) =>
      new Promise((done) => {
        if (!encoder.alive) return done({ kind: 'stopped', reason: 'it was gone already' })
        const id = ++encoder.jobs
        // libvips does not stop by itself: sharp's own timeout is not heard by the AVIF encoder.
        const timer = setTimeout(() => {
          settle({ kind: 'killed' })
          encoder.kill()
        }, limitMs)
        current = {
          id,
          done(end) {
            clearTimeout(timer)
            done(end)
          },
        }
        const { source, ...rest } = work
        const job: EncodeJob = { ...rest, id, sourceBytes: source.length }
        child.send(job, (error) => {
          if (error) settle({ kind: 'stopped', reason: error.message })
        })
        sources.write(source)
      }),
  }
  child.on('message', (message: EncodeReply | EncoderReady) => {
    if ('ready' in message) return settleReady?.done()
    encoder.rssBytes = message.rssBytes
    if (message.id === current?.id) settle(withBuffer(message.answer))
  })
  return encoder
}

function forkQuietly(script: string, environment: Readonly<Record<string, string>>): ChildProcess {
  const [program, ...args] = LAUNCHER ?? []
  return fork(script, [], {
    serialization: 'advanced',
    stdio: ['ignore', 'inherit', 'inherit', 'ipc', 'pipe'],
    env: environment,
    ...(program ? { execPath: program, execArgv: [...args, process.execPath] } : { execArgv: [] }),
  })
}

function withBuffer(answer: EncodeAnswer): EncodeAnswer {
  if (answer.kind !== 'encoded') return answer
  const { body } = answer
  return { ...answer, body: Buffer.from(body.buffer, body.byteOffset, body.byteLength) }
}
