// Starts an encoder child. What can be given a job is a FreeEncoder, which a job uses up: a child that is busy cannot
// be reached, so two jobs never share its pipe (I7).

import { type ChildProcess, fork, spawnSync } from 'node:child_process'
import type { Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { frameHead } from './encoder-frames.ts'
import { type EncodeAnswer, type EncodeReply, type EncodeWork, SOURCE_FD } from './encoder-messages.ts'

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
/** For the start of the process and its first job together: with the least priority on a busy machine both are slow. */
const FIRST_JOB_MS = 30_000

export type EncodeEnd =
  | EncodeAnswer
  | { kind: 'died'; reason: string }
  /** Ended from outside, by a system short of memory or as the service closes: that says nothing of the image. */
  | { kind: 'stopped'; reason: string }
  /** It ran into its deadline. */
  | { kind: 'killed' }
  /** No encoder was free in time. */
  | { kind: 'late' }

/** A child that does nothing now. */
export interface FreeEncoder {
  readonly pid: number | undefined
  /** Jobs that it has done after its first. */
  readonly jobs: number
  /** Memory that it held after its last job. */
  readonly rssBytes: number
  /**
   * Uses this value up, and always settles. After `limitMs` the child is killed. A second call ends as `stopped` and
   * sends nothing.
   */
  run(work: EncodeWork, limitMs: number): Promise<EncodeRun>
}

export interface EncodeRun {
  end: EncodeEnd
  /** The child again, if it lives and responded. */
  next: FreeEncoder | undefined
}

export interface EncoderChild {
  readonly pid: number | undefined
  /** The end of the first job, a tiny image: only a child that made it can be used. */
  readonly first: Promise<{ kind: 'free'; encoder: FreeEncoder } | { kind: 'failed'; reason: string }>
  /** Resolves when the process is gone. */
  readonly ended: Promise<void>
  kill(): void
}

export interface EncoderOptions {
  /** The child's whole environment. */
  environment: Readonly<Record<string, string>>
  /** The child's file; tests give another one that misbehaves. */
  script?: string
}

/** Starts a child and gives it its first job. Never throws: a process that cannot be started is a first job that failed. */
export function startEncoder({ environment, script = SCRIPT }: EncoderOptions): EncoderChild {
  let child: ChildProcess
  try {
    child = forkQuietly(script, environment)
    // Without descriptors or memory for another process it has no pipes (node:child_process).
    if (!child.stdio?.[SOURCE_FD]) throw new Error('the system has no resources for another process')
  } catch (error) {
    return unstarted(error instanceof Error ? error.message : String(error))
  }
  const line = createLine(child)
  const first = line.carry(tinyWork(), FIRST_JOB_MS).then((end) => {
    if (end.kind === 'encoded') return { kind: 'free', encoder: freeEncoder(line) } as const
    child.kill('SIGKILL')
    return { kind: 'failed', reason: `tiny image: ${reasonOf(end)}` } as const
  })
  return { pid: child.pid, first, ended: line.ended, kill: () => void child.kill('SIGKILL') }
}

/** The way to one child and back, reachable through a FreeEncoder alone. */
interface Line {
  readonly pid: number | undefined
  readonly rssBytes: number
  /** Jobs that were sent. */
  readonly sent: number
  /** Nothing was ever wrong with it: the child waits for a job. */
  readonly isUsable: boolean
  readonly ended: Promise<void>
  carry(work: EncodeWork, limitMs: number): Promise<EncodeEnd>
}

function createLine(child: ChildProcess): Line {
  // Opened for writing by forkQuietly, checked by startEncoder.
  const sources = child.stdio[SOURCE_FD] as Writable
  let sent = 0
  let rssBytes = 0
  let isUsable = true
  let settle: ((end: EncodeEnd) => void) | undefined
  /** What the child does is unknown from here on: it ends, and its end settles its job. */
  const breakOff = () => {
    isUsable = false
    child.kill('SIGKILL')
  }
  const ended = new Promise<void>((done) => {
    const end = (reason: string) => {
      isUsable = false
      settle?.({ kind: reason === 'SIGKILL' ? 'stopped' : 'died', reason })
      done()
    }
    child.once('exit', (code, signal) => end(signal ?? `exit code ${code}`))
    // A process that never was has no exit; other errors are those of a channel, and the process must not outlive it.
    child.on('error', (error) => (child.pid === undefined ? end(error.message) : breakOff()))
  })
  sources.on('error', breakOff)
  child.on('disconnect', breakOff)
  child.on('message', (message) => {
    const reply = parseReply(message)
    // SECURITY: a response to another job than the one that runs is never passed on.
    if (!settle || reply?.id !== sent) return breakOff()
    rssBytes = reply.rssBytes
    settle(reply.answer)
  })
  return {
    pid: child.pid,
    ended,
    get rssBytes() {
      return rssBytes
    },
    get sent() {
      return sent
    },
    get isUsable() {
      return isUsable
    },
    carry: ({ source, ...work }, limitMs) =>
      new Promise((done) => {
        if (!isUsable) return done({ kind: 'stopped', reason: 'the encoder ended before the job began' })
        settle = (end) => {
          settle = undefined
          clearTimeout(timer)
          done(end)
        }
        // libvips does not stop by itself: sharp's own timeout does not reach the AVIF encoder.
        const timer = setTimeout(() => {
          settle?.({ kind: 'killed' })
          breakOff()
        }, limitMs)
        sent++
        sources.write(frameHead({ ...work, id: sent, sourceBytes: source.length }))
        sources.write(source)
      }),
  }
}

function freeEncoder(line: Line): FreeEncoder {
  let unused: Line | undefined = line
  return {
    pid: line.pid,
    jobs: line.sent - 1,
    rssBytes: line.rssBytes,
    async run(work, limitMs) {
      const mine = unused
      unused = undefined
      if (!mine) return { end: { kind: 'stopped', reason: 'this encoder has a job already' }, next: undefined }
      const end = await mine.carry(work, limitMs)
      return { end, next: mine.isUsable ? freeEncoder(mine) : undefined }
    },
  }
}

function unstarted(reason: string): EncoderChild {
  const first = Promise.resolve({ kind: 'failed', reason } as const)
  return { pid: undefined, first, ended: Promise.resolve(), kill: () => {} }
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

/** SECURITY: a child whose decoder was taken over may send anything; only what has the form of a reply is read. */
function parseReply(message: unknown): EncodeReply | undefined {
  if (typeof message !== 'object' || message === null) return undefined
  const { id, rssBytes, answer } = message as Partial<Record<keyof EncodeReply, unknown>>
  if (typeof id !== 'number' || typeof rssBytes !== 'number' || typeof answer !== 'object' || answer === null)
    return undefined
  const given = answer as Partial<Record<string, unknown>>
  if (given.kind !== 'encoded') {
    const isRefusal = given.kind === 'undecodable' || given.kind === 'too-many-pixels'
    // Both refusals have a kind and a reason.
    return isRefusal && typeof given.reason === 'string' ? (message as EncodeReply) : undefined
  }
  const { body } = given
  if (!(body instanceof Uint8Array) || typeof given.type !== 'string') return undefined
  const numbers = [given.width, given.height, given.decodeMs, given.encodeMs]
  if (!numbers.every((number) => typeof number === 'number')) return undefined
  // Every member was looked at. Serialised, a Buffer becomes a plain array of bytes.
  const encoded = { ...given, body: Buffer.from(body.buffer, body.byteOffset, body.byteLength) } as EncodeAnswer
  return { id, rssBytes, answer: encoded }
}

/** For the log, in libvips' own words where it spoke. */
function reasonOf(end: EncodeEnd): string {
  return 'reason' in end ? `${end.kind}: ${end.reason}` : end.kind
}

/** A GIF of one pixel: needs the decoder, the resizer and the AVIF encoder. */
function tinyWork(): EncodeWork {
  const source = Buffer.from('R0lGODlhAQABAIAAAP///wAAACwAAAAAAQABAAACAkQBADs=', 'base64')
  return { source, target: 'avif', width: 1, quality: 50, effort: { avif: 0, webp: 0 }, maximumPixels: 16 }
}
