// Keeps as many encoder children as there are slots; replaces those that died, were killed, are old or too large (I7).

import type { Log } from '../../shared/node/log.ts'
import type { EncodeWork } from './encoder-messages.ts'
import type { EncodeEnd, EncoderProcess } from './encoder-process.ts'

export interface EncoderPool {
  /** Runs one job on a free child; waits for one. Never rejects. `limitMs` counts from the start of the work. */
  run(work: EncodeWork, limitMs: number): Promise<EncodeEnd>
  /** Resolves when every child answered a tiny encode; rejects when one cannot start. */
  warm(): Promise<void>
  /** Children that answer. */
  readonly live: number
  /** Milliseconds since which no child answers; 0 while one does. A child that is replaced is away for a moment only. */
  readonly downMs: number
  readonly pids: number[]
  close(): Promise<void>
}

export interface EncoderPoolOptions {
  slots: number
  log: Log
  /** A child is replaced after this many jobs: no leak of libvips or a codec lives long. */
  jobsPerChild?: number
  /** … and when it holds this much memory after a job. */
  rssCeilingBytes?: number
  start: () => EncoderProcess
}

const JOBS_PER_CHILD = 1000
/** One 3840 px AVIF takes 284 MB while it runs; what stays above this much afterwards is not given back. */
const RSS_CEILING_BYTES = 400 * 1024 * 1024
const RESTART_PAUSE_MS = 100
const LONGEST_RESTART_PAUSE_MS = 5000

interface Slot {
  encoder: EncoderProcess
  busy: boolean
  ready: boolean
}

/** Starts the children at once. */
export function createEncoderPool(options: EncoderPoolOptions): EncoderPool {
  const { log, start, jobsPerChild = JOBS_PER_CHILD, rssCeilingBytes = RSS_CEILING_BYTES } = options
  const slots: Slot[] = []
  const waiting: ((slot: Slot | undefined) => void)[] = []
  let closed = false
  let failures = 0
  let lastLiveAt = performance.now()

  const setReady = (slot: Slot, ready: boolean) => {
    if (slots.some((one) => one.ready)) lastLiveAt = performance.now()
    slot.ready = ready
  }
  const offer = (slot: Slot) => {
    if (slot.busy || !slot.ready || closed) return
    const next = waiting.shift()
    if (!next) return
    slot.busy = true
    next(slot)
  }
  const launch = (slot: Slot) => {
    setReady(slot, false)
    const encoder = start()
    slot.encoder = encoder
    encoder.ready.then(
      () => {
        failures = 0
        setReady(slot, true)
        offer(slot)
      },
      // Its end is handled below.
      () => {
        failures++
      },
    )
    void encoder.ended.then(() => {
      setReady(slot, false)
      if (closed || slot.encoder !== encoder) return
      const pauseMs = failures === 0 ? 0 : Math.min(LONGEST_RESTART_PAUSE_MS, RESTART_PAUSE_MS * 2 ** failures)
      if (failures > 0) log.error({ event: 'encoder-failed', failures, pauseMs }, 'an encoder does not start')
      setTimeout(() => !closed && launch(slot), pauseMs)
    })
  }
  const release = (slot: Slot) => {
    slot.busy = false
    const { encoder } = slot
    if (encoder.jobs >= jobsPerChild || encoder.rssBytes > rssCeilingBytes) {
      log.debug({ event: 'encoder-recycled', jobs: encoder.jobs, rssBytes: encoder.rssBytes }, 'encoder replaced')
      setReady(slot, false)
      encoder.kill()
    } else offer(slot)
  }
  /** A free child, or undefined when there was none in time. */
  const acquire = (limitMs: number): Promise<Slot | undefined> =>
    new Promise((done) => {
      const take = (slot: Slot | undefined) => {
        clearTimeout(timer)
        done(slot)
      }
      const timer = setTimeout(() => {
        const at = waiting.indexOf(take)
        if (at >= 0) waiting.splice(at, 1)
        done(undefined)
      }, limitMs)
      waiting.push(take)
      for (const slot of slots) offer(slot)
    })

  for (let index = 0; index < options.slots; index++) {
    // `launch` fills the encoder in before anyone can look at it.
    const slot = { busy: false, ready: false } as Slot
    slots.push(slot)
    launch(slot)
  }

  return {
    async run(work, limitMs) {
      if (closed) return { kind: 'stopped', reason: 'the service is closing' }
      const started = performance.now()
      const slot = await acquire(limitMs)
      if (!slot) return { kind: 'late' }
      const left = Math.max(1, limitMs - (performance.now() - started))
      const end: EncodeEnd = await slot.encoder.run(work, left)
      // Its end is on the way; until then it must not be offered.
      if (end.kind === 'died' || end.kind === 'stopped' || end.kind === 'killed') setReady(slot, false)
      release(slot)
      return end
    },
    async warm() {
      await Promise.all(slots.map((slot) => slot.encoder.ready))
      const ends = await Promise.all(slots.map((slot) => slot.encoder.run(tinyWork(), 10_000)))
      const bad = ends.find((end) => end.kind !== 'encoded')
      if (bad) throw new Error(`an encoder did not answer a tiny picture: ${bad.kind}`)
    },
    get live() {
      return slots.filter((slot) => slot.ready).length
    },
    get downMs() {
      return slots.some((slot) => slot.ready) ? 0 : performance.now() - lastLiveAt
    },
    get pids() {
      return slots.flatMap((slot) => slot.encoder.pid ?? [])
    },
    async close() {
      closed = true
      for (const take of waiting.splice(0)) take(undefined)
      for (const slot of slots) slot.encoder.kill()
      await Promise.all(slots.map((slot) => slot.encoder.ended))
    },
  }
}

/** A GIF of one pixel: asks for the decoder, the resizer and the AVIF encoder. */
function tinyWork(): EncodeWork {
  const source = Buffer.from('R0lGODlhAQABAIAAAP///wAAACwAAAAAAQABAAACAkQBADs=', 'base64')
  return { source, target: 'avif', width: 1, quality: 50, effort: { avif: 0, webp: 0 }, maximumPixels: 16 }
}
