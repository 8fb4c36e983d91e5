// Keeps one encoder child per slot; replaces children that died, were killed, or are too old or too large (I7).

import { setTimeout as sleep } from 'node:timers/promises'
import { backOff } from '@portico/shared/kit/life/restart/back-off.ts'
import type { Log } from '@portico/shared/kit/observe/log.ts'
import type { EncodeWork } from './encoder-messages.ts'
import type { EncodeEnd, EncoderChild, FreeEncoder } from './encoder-process.ts'

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
