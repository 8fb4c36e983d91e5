// Encoders: one child process per slot, which the pool replaces when it died, was killed, or is too old or too large
// (I7). Only a FreeEncoder accepts a job, and each FreeEncoder accepts one job only: nothing can send to a busy child,
// so two jobs never share the pipe of a child. `run` never rejects and always settles. The child is encoder-child.ts;
// who gets an encoder next is left to queue/.

import { type ChildProcess, fork, spawnSync } from 'node:child_process'
import { extname } from 'node:path'
import type { Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { backOff } from '@portico/shared/kit/life/restart/back-off.ts'
import type { Log } from '@portico/shared/kit/observe/log.ts'
import { type EncodeReply, type EncodeResult, type EncodeWork, frameHead, SOURCE_FD } from './encoder-frames.ts'

export type { OutputFormat } from './encoder-frames.ts'

interface RunLimits {
  /** Milliseconds to wait for a free child. */
  waitMs: number
  /** Milliseconds until the job has ended, this wait included. */
  encodeMs: number
}

export type EncoderPool = ReturnType<typeof createEncoderPool>

interface EncoderPoolOptions {
  slots: number
  log: Log
  /** A child is replaced after this many jobs, which bounds leaks of libvips and codecs. */
  jobsPerChild?: number
  /** … and when it holds this much memory after a job. */
  rssCeilingBytes?: number
  start: () => EncoderChild
  /** Waits before a child that failed its first job is replaced; ends early at the signal. */
  pause?: (milliseconds: number, signal: AbortSignal) => Promise<void>
}

const JOBS_PER_CHILD = 1000
/**
 * Encoding one 3840 px AVIF takes 284 MB; a child that holds more than this ceiling after a job does not free the
 * memory.
 */
const RSS_CEILING_BYTES = 400 * 1024 * 1024
const RESTART_PAUSES = { firstMs: 200, longestMs: 5000 }

interface Place {
  child: EncoderChild
  encoder: FreeEncoder
}

/** Starts the children immediately. */
export function createEncoderPool(options: EncoderPoolOptions) {
  const { slots, log, start, pause = pauseFor } = options
  const { jobsPerChild = JOBS_PER_CHILD, rssCeilingBytes = RSS_CEILING_BYTES } = options
  const children = new Set<EncoderChild>()
  const live = new Set<EncoderChild>()
  const places = createPlaces()
  const closing = new AbortController()
  const firstLive = Promise.withResolvers<void>()
  let lastLiveAt = performance.now()

  const retire = (child: EncoderChild) => {
    if (live.delete(child) && live.size === 0) lastLiveAt = performance.now()
    places.withdraw(child)
  }
  /** Runs one child after the other until the pool closes. */
  const keepSlot = async (tried: () => void): Promise<void> => {
    for (let failures = 0; !closing.signal.aborted; ) {
      const child = start()
      children.add(child)
      const first = await child.first
      if (first.kind === 'free') {
        failures = 0
        live.add(child)
        firstLive.resolve()
        places.offer({ child, encoder: first.encoder })
      }
      tried()
      await child.ended
      children.delete(child)
      retire(child)
      if (first.kind === 'free' || closing.signal.aborted) continue
      const pauseMs = backOff(RESTART_PAUSES, ++failures)
      log.error({ event: 'encoder-failed', reason: first.reason, failures, pauseMs }, 'encoder does not start')
      await pause(pauseMs, closing.signal)
    }
  }
  const release = ({ child }: Place, next: FreeEncoder | undefined) => {
    if (next && next.jobs < jobsPerChild && next.rssBytes <= rssCeilingBytes)
      return places.offer({ child, encoder: next })
    if (next) log.debug({ event: 'encoder-recycled', jobs: next.jobs, rssBytes: next.rssBytes }, 'encoder replaced')
    retire(child)
    child.kill()
  }
  const tries = Array.from({ length: slots }, () => new Promise<void>((tried) => void keepSlot(tried)))

  return {
    /** Waits for a free child and runs one job on that child. Never rejects, always settles. */
    async run(work: EncodeWork, { waitMs, encodeMs }: RunLimits): Promise<EncodeEnd> {
      if (closing.signal.aborted) return { kind: 'stopped', reason: 'the service is closing' }
      const began = performance.now()
      const place = await places.take(waitMs)
      if (!place) return { kind: 'late' }
      const leftMs = Math.max(1, encodeMs - (performance.now() - began))
      const { end, next } = await place.encoder.run(work, leftMs)
      release(place, next)
      return end
    },
    /** Resolves when each slot has tried to start a child and one child has done its first job. Never rejects. */
    async warm(): Promise<void> {
      await Promise.all([...tries, firstLive.promise])
    },
    /** Children that have done their first job. */
    get live(): number {
      return live.size
    },
    /** Milliseconds for which no child has been live; 0 while a child is live. */
    get downMs(): number {
      return live.size > 0 ? 0 : performance.now() - lastLiveAt
    },
    get pids(): number[] {
      return [...children].flatMap((child) => child.pid ?? [])
    },
    async close(): Promise<void> {
      closing.abort()
      places.close()
      for (const child of children) child.kill()
      await Promise.all([...children].map((child) => child.ended))
    },
  }
}

/** Free children, and the jobs that wait for a child in order of arrival. */
function createPlaces() {
  const free: Place[] = []
  const waiting: ((place: Place | undefined) => void)[] = []
  return {
    offer(place: Place) {
      const take = waiting.shift()
      if (take) take(place)
      else free.push(place)
    },
    withdraw(child: EncoderChild) {
      const at = free.findIndex((place) => place.child === child)
      if (at >= 0) free.splice(at, 1)
    },
    /** Resolves to undefined when no child became free in time. */
    async take(limitMs: number): Promise<Place | undefined> {
      const ready = free.shift()
      if (ready) return ready
      const { promise, resolve } = Promise.withResolvers<Place | undefined>()
      waiting.push(resolve)
      const timer = setTimeout(() => {
        waiting.splice(waiting.indexOf(resolve), 1)
        resolve(undefined)
      }, limitMs)
      return promise.finally(() => clearTimeout(timer))
    },
    close() {
      for (const take of waiting.splice(0)) take(undefined)
    },
  }
}

async function pauseFor(milliseconds: number, signal: AbortSignal): Promise<void> {
  // The pause ends early only when the pool closes.
  await sleep(milliseconds, undefined, { signal, ref: false }).catch(() => {})
}

/** Next to this file, TypeScript or compiled. */
const SCRIPT = fileURLToPath(new URL(`./encoder-child${extname(import.meta.url)}`, import.meta.url))
/**
 * Programs that start another program with the lowest priority, best first: cached responses need a core immediately, a
 * new image can wait. A process that wakes up takes the core from an idle-class process immediately (sched(7)), but
 * waits for the end of the time slice of a process with a nice value. If other processes use every core for seconds,
 * both launchers miss the deadline, and the response is 504. The launcher sets the priority before the process starts,
 * because existing threads keep their priority.
 */
const LAUNCHERS = [
  ['chrt', '--idle', '0'],
  ['nice', '-n', '19'],
] as const
/** A machine may lack the programs, and a sandbox may forbid the system call. */
const LAUNCHER = LAUNCHERS.find(([program, ...args]) => spawnSync(program, [...args, 'true']).status === 0)
/**
 * For the start of the process and its first job together: with the lowest priority on a busy machine both are slow.
 */
const FIRST_JOB_MS = 30_000

export type EncodeEnd =
  | EncodeResult
  | { kind: 'died'; reason: string }
  /** Ended from outside, because the system lacks memory or the service closes: not a fault of the image. */
  | { kind: 'stopped'; reason: string }
  /** The job reached its deadline. */
  | { kind: 'killed' }
  /** No encoder was free in time. */
  | { kind: 'late' }

/** A child without a job. */
export interface FreeEncoder {
  readonly pid: number | undefined
  /** Jobs that the child has done after its first job. */
  readonly jobs: number
  /** Memory of the child after its last job. */
  readonly rssBytes: number
  /**
   * Runs the only job of this value, and always settles. After `limitMs` the child is killed. A second call results in
   * `stopped` and sends nothing.
   */
  run(work: EncodeWork, limitMs: number): Promise<EncodeRun>
}

interface EncodeRun {
  end: EncodeEnd
  /** The same child for the next job; undefined if the child has ended or did not respond. */
  next: FreeEncoder | undefined
}

export interface EncoderChild {
  readonly pid: number | undefined
  /** The end of the first job, a tiny image: only a child that encoded this image can be used. */
  readonly first: Promise<{ kind: 'free'; encoder: FreeEncoder } | { kind: 'failed'; reason: string }>
  /** Resolves when the process has ended. */
  readonly ended: Promise<void>
  kill(): void
}

interface EncoderOptions {
  /** The child's whole environment. */
  environment: Readonly<Record<string, string>>
  /** The child's file; tests use other files with faults. */
  script?: string
}

/**
 * Starts a child and sends its first job. Never throws: a process that cannot be started counts as a failed first job.
 */
export function startEncoder({ environment, script = SCRIPT }: EncoderOptions): EncoderChild {
  let child: ChildProcess
  try {
    child = forkQuietly(script, environment)
    // If descriptors or memory are exhausted, `fork` returns a child without pipes (node:child_process).
    if (!child.stdio?.[SOURCE_FD]) throw new Error('the system has no resources for another process')
  } catch (error) {
    return unstarted(error instanceof Error ? error.message : String(error))
  }
  const channel = new Channel(child)
  const first = channel.send(tinyWork(), FIRST_JOB_MS).then((end) => {
    if (end.kind === 'encoded') return { kind: 'free', encoder: freeEncoder(channel) } as const
    child.kill('SIGKILL')
    // The error text of libvips, if there is one.
    const reason = 'reason' in end ? `${end.kind}: ${end.reason}` : end.kind
    return { kind: 'failed', reason: `tiny image: ${reason}` } as const
  })
  return { pid: child.pid, first, ended: channel.ended, kill: () => void child.kill('SIGKILL') }
}

/** The pipe to one child and the replies of the child; used only by a FreeEncoder. */
class Channel {
  readonly pid: number | undefined
  /** Jobs that were sent. */
  sent = 0
  rssBytes = 0
  /** No fault has occurred: the child waits for a job. */
  isUsable = true
  readonly ended: Promise<void>
  readonly #child: ChildProcess
  readonly #sources: Writable
  #settle: ((end: EncodeEnd) => void) | undefined

  constructor(child: ChildProcess) {
    this.pid = child.pid
    this.#child = child
    // forkQuietly opens the pipe for writing, startEncoder checks that the pipe exists.
    this.#sources = child.stdio[SOURCE_FD] as Writable
    this.ended = new Promise((done) => {
      const end = (reason: string) => {
        this.isUsable = false
        this.#settle?.({ kind: reason === 'SIGKILL' ? 'stopped' : 'died', reason })
        done()
      }
      child.once('exit', (code, signal) => end(signal ?? `exit code ${code}`))
      // A process that never started emits no 'exit'. Other errors are faults of the IPC channel, which end the process.
      child.on('error', (error) => (child.pid === undefined ? end(error.message) : this.#breakOff()))
    })
    this.#sources.on('error', () => this.#breakOff())
    child.on('disconnect', () => this.#breakOff())
    child.on('message', (message) => {
      const reply = parseReply(message)
      // SECURITY: a response to another job than the one that runs is never passed on.
      if (!this.#settle || reply?.id !== this.sent) return this.#breakOff()
      this.rssBytes = reply.rssBytes
      this.#settle(reply.result)
    })
  }

  /** The state of the child is unknown from now on: the child is killed, and its end settles its job. */
  #breakOff(): void {
    this.isUsable = false
    this.#child.kill('SIGKILL')
  }

  async send({ source, ...work }: EncodeWork, limitMs: number): Promise<EncodeEnd> {
    if (!this.isUsable) return { kind: 'stopped', reason: 'the encoder ended before the job began' }
    const { promise, resolve } = Promise.withResolvers<EncodeEnd>()
    this.#settle = (end) => {
      this.#settle = undefined
      clearTimeout(timer)
      resolve(end)
    }
    // Only a kill stops libvips: sharp's own timeout does not reach the AVIF encoder.
    const timer = setTimeout(() => {
      this.#settle?.({ kind: 'killed' })
      this.#breakOff()
    }, limitMs)
    this.sent++
    this.#sources.write(frameHead({ ...work, id: this.sent, sourceBytes: source.length }))
    this.#sources.write(source)
    return promise
  }
}

function freeEncoder(channel: Channel): FreeEncoder {
  let isUsed = false
  return {
    pid: channel.pid,
    jobs: channel.sent - 1,
    rssBytes: channel.rssBytes,
    async run(work, limitMs) {
      if (isUsed) return { end: { kind: 'stopped', reason: 'this encoder has a job already' }, next: undefined }
      isUsed = true
      const end = await channel.send(work, limitMs)
      return { end, next: channel.isUsable ? freeEncoder(channel) : undefined }
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

/**
 * SECURITY: a child with a compromised decoder may send any message; only messages with the form of a reply are
 * accepted.
 */
function parseReply(message: unknown): EncodeReply | undefined {
  if (typeof message !== 'object' || message === null) return undefined
  const { id, rssBytes, result } = message as Partial<Record<keyof EncodeReply, unknown>>
  if (typeof id !== 'number' || typeof rssBytes !== 'number' || typeof result !== 'object' || result === null)
    return undefined
  const given = result as Partial<Record<string, unknown>>
  if (given.kind !== 'encoded') {
    const isRefusal = given.kind === 'undecodable' || given.kind === 'too-many-pixels'
    // Both refusals have a kind and a reason.
    return isRefusal && typeof given.reason === 'string' ? (message as EncodeReply) : undefined
  }
  const { body } = given
  if (!(body instanceof Uint8Array) || typeof given.type !== 'string') return undefined
  const numbers = [given.width, given.height, given.decodeMs, given.encodeMs]
  if (!numbers.every((number) => typeof number === 'number')) return undefined
  // Every member was checked. Serialisation turns a Buffer into a plain Uint8Array.
  const encoded = { ...given, body: Buffer.from(body.buffer, body.byteOffset, body.byteLength) } as EncodeResult
  return { id, rssBytes, result: encoded }
}

/** A GIF of one pixel, which needs the decoder, the resizer and the AVIF encoder. */
function tinyWork(): EncodeWork {
  const source = Buffer.from('R0lGODlhAQABAIAAAP///wAAACwAAAAAAQABAAACAkQBADs=', 'base64')
  return { source, target: 'avif', width: 1, quality: 50, effort: { avif: 0, webp: 0 }, maximumPixels: 16 }
}
