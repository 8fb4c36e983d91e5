// The bounded queue before the encoders (I7): viewers before refreshes before warm-up; weighs memory, not only heads.

import type { OutputFormat } from './encoder-messages.ts'

export type WorkClass = 'viewer' | 'refresh' | 'warm-up'

const CLASSES: readonly WorkClass[] = ['viewer', 'refresh', 'warm-up']

/** Shared by everyone who waits for one piece of work: a viewer who joins a refresh makes it urgent. */
export interface Urgency {
  class: WorkClass
}

export interface QueueLimits {
  /** Jobs running at once. */
  slots: number
  /** Bytes that running jobs may take together; a single job always may run. */
  memoryBytes: number
  /** Jobs waiting, by class. */
  lengths: Record<WorkClass, number>
  /** Longer waits count as full, expected or real: an answer that comes too late helps nobody. */
  longestWaitMs: number
}

/** The queue takes no more work of that class now. */
export class QueueFullError extends Error {
  override name = 'QueueFullError'
  readonly retryAfterSeconds: number
  constructor(retryAfterSeconds: number) {
    super('the queue is full')
    this.retryAfterSeconds = retryAfterSeconds
  }
}

export interface EncodeQueue {
  /** Runs the job when its turn comes. Rejects with QueueFullError, or with the signal's reason while it waits. */
  push<T>(job: { urgency: Urgency; costBytes: number; signal: AbortSignal; run: () => Promise<T> }): Promise<T>
  /** Why work of this class would be refused now; undefined when it would be taken. */
  full(workClass: WorkClass): QueueFullError | undefined
  readonly waiting: number
  readonly running: number
}

interface Entry {
  urgency: Urgency
  costBytes: number
  start: () => Promise<void>
}

/** `now` is a monotonic clock in milliseconds. */
export function createQueue(limits: QueueLimits, now: () => number = () => performance.now()): EncodeQueue {
  const entries: Entry[] = []
  let running = 0
  let usedBytes = 0
  // Moving average of a job's time; begins with what a middle-sized AVIF takes.
  let averageMs = 150
  const startTimes = new Set<{ at: number }>()

  const rank = (workClass: WorkClass) => CLASSES.indexOf(workClass)
  const expectedWaitMs = (workClass: WorkClass) => {
    const ahead = entries.filter((entry) => rank(entry.urgency.class) <= rank(workClass)).length
    // A job that takes longer than any before it tells of a busy machine before it ends.
    const jobMs = Math.max(averageMs, ...[...startTimes].map(({ at }) => now() - at))
    return (ahead * jobMs) / limits.slots
  }
  const retryAfter = (workClass: WorkClass) => Math.max(1, Math.ceil(expectedWaitMs(workClass) / 1000))
  const full = (workClass: WorkClass): QueueFullError | undefined => {
    const waitMs = expectedWaitMs(workClass)
    const same = entries.filter((entry) => entry.urgency.class === workClass).length
    if (same < limits.lengths[workClass] && waitMs <= limits.longestWaitMs) return undefined
    return new QueueFullError(retryAfter(workClass))
  }
  const pump = () => {
    while (running < limits.slots) {
      const next = CLASSES.map((name) => entries.find((entry) => entry.urgency.class === name)).find(Boolean)
      // The first in line is never overtaken by a smaller one: it would starve.
      if (!next || (running > 0 && usedBytes + next.costBytes > limits.memoryBytes)) return
      entries.splice(entries.indexOf(next), 1)
      running++
      usedBytes += next.costBytes
      const started = { at: now() }
      startTimes.add(started)
      void next.start().finally(() => {
        startTimes.delete(started)
        running--
        usedBytes -= next.costBytes
        averageMs += (now() - started.at - averageMs) / 4
        pump()
      })
    }
  }

  return {
    full,
    push: ({ urgency, costBytes, signal, run }) =>
      new Promise((done, failed) => {
        if (signal.aborted) return failed(signal.reason)
        const refusal = full(urgency.class)
        if (refusal) return failed(refusal)
        const remove = (reason: unknown) => {
          const at = entries.indexOf(entry)
          if (at < 0) return
          entries.splice(at, 1)
          settle()
          failed(reason)
        }
        const leave = () => remove(signal.reason)
        // Refused while there is time left for something else: an old or a wider variant, or another replica.
        const timer = setTimeout(() => remove(new QueueFullError(retryAfter(urgency.class))), limits.longestWaitMs)
        const settle = () => {
          clearTimeout(timer)
          signal.removeEventListener('abort', leave)
        }
        const entry: Entry = {
          urgency,
          costBytes,
          start: () => {
            settle()
            return run().then(done, failed)
          },
        }
        signal.addEventListener('abort', leave, { once: true })
        entries.push(entry)
        pump()
      }),
    get waiting() {
      return entries.length
    },
    get running() {
      return running
    },
  }
}

/** Bytes of memory that a pixel of the answer takes while it is encoded: measured with one 3840 px picture each. */
const BYTES_PER_PIXEL: Record<OutputFormat, number> = { avif: 34, webp: 7, jpeg: 6, png: 6 }
/** Bytes that a pixel of the source takes while it is read, for decoders that cannot shrink on the way. */
const BYTES_PER_SOURCE_PIXEL = 4

/** Memory that a job takes. Sizes that the header did not tell are taken as 4:3 at the width asked for. */
export function estimateCost(
  target: OutputFormat | 'own' | 'facts',
  width: number,
  size: { width?: number; height?: number },
): number {
  const sourceWidth = size.width ?? width
  const sourceHeight = size.height ?? Math.round((sourceWidth * 3) / 4)
  const outWidth = Math.min(width, sourceWidth)
  const outPixels = (outWidth * outWidth * sourceHeight) / Math.max(1, sourceWidth)
  const format = target === 'own' || target === 'facts' ? 'jpeg' : target
  return Math.round(outPixels * BYTES_PER_PIXEL[format] + sourceWidth * sourceHeight * BYTES_PER_SOURCE_PIXEL)
}
