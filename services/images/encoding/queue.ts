// The bounded queue before the encoders (I7): viewers before refreshes before warm-up, sources by turns within a class,
// and weighed by memory. Work is shed by its age and by its source: no source keeps the encoders from all others.

import { createOriginTurns, type WorkOrigin } from './fair-turns.ts'

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
  /** Longer waits count as full, expected or real: a response that comes too late helps no client. */
  longestWaitMs: number
}

/** The queue takes no more work of that class and origin now. */
export class QueueFullError extends Error {
  override name = 'QueueFullError'
  readonly retryAfterSeconds: number
  constructor(retryAfterSeconds: number) {
    super('the queue is full')
    this.retryAfterSeconds = retryAfterSeconds
  }
}

export interface Job<T> {
  urgency: Urgency
  origin: WorkOrigin
  costBytes: number
  signal: AbortSignal
  run: () => Promise<T>
}

export interface EncodeQueue {
  /** Runs the job when its turn comes. Rejects with QueueFullError, or with the signal's reason while it waits. */
  push<T>(job: Job<T>): Promise<T>
  /** Why work of this class and origin would be refused now; undefined when it would be taken. */
  full(workClass: WorkClass, origin: WorkOrigin): QueueFullError | undefined
  readonly waiting: number
  readonly running: number
}

interface Entry extends Pick<Job<unknown>, 'urgency' | 'origin' | 'costBytes'> {
  start(): Promise<void>
  refuse(reason: unknown): void
}

/** A job's time before any of its host has ended: what a middle-sized AVIF takes. */
const FIRST_JOB_MS = 150
/** Hosts whose jobs' times are remembered. */
const MOST_HOSTS = 1000

/** `now` is a monotonic clock in milliseconds. */
export function createQueue(limits: QueueLimits, now: () => number = () => performance.now()): EncodeQueue {
  /** In order of arrival. */
  const entries: Entry[] = []
  const times = createJobTimes(now)
  const turns = createOriginTurns()
  let running = 0
  let usedBytes = 0

  /**
   * Until a new job of that host would begin if it had the encoders to itself: what others wait for refuses nobody. What
   * they take of its turns is seen when its age is up.
   */
  const expectedWaitMs = (workClass: WorkClass, origin: WorkOrigin) => {
    const ahead = entries.filter(
      (entry) => isSame(entry.origin, origin) && CLASSES.indexOf(entry.urgency.class) <= CLASSES.indexOf(workClass),
    )
    return (ahead.length * times.expected(origin)) / limits.slots
  }
  const refusalOf = (waitMs: number) => new QueueFullError(Math.max(1, Math.ceil(waitMs / 1000)))
  const waitingIn = (workClass: WorkClass) => entries.filter((entry) => entry.urgency.class === workClass)
  const full = (workClass: WorkClass, origin: WorkOrigin): QueueFullError | undefined => {
    const waitMs = expectedWaitMs(workClass, origin)
    const same = waitingIn(workClass)
    const hasRoom = same.length < limits.lengths[workClass]
    const mayTakeRoom = hasRoom || !isSame(largestHolder([...same, { origin }]), origin)
    return mayTakeRoom && waitMs <= limits.longestWaitMs ? undefined : refusalOf(waitMs)
  }
  const shed = (entry: Entry) => entry.refuse(refusalOf(expectedWaitMs(entry.urgency.class, entry.origin)))
  const next = (): Entry | undefined => {
    const workClass = CLASSES.find((name) => entries.some((entry) => entry.urgency.class === name))
    return workClass && turns.next(waitingIn(workClass))
  }
  const pump = () => {
    while (running < limits.slots) {
      const entry = next()
      // The one whose turn it is is never overtaken by a smaller one: it would starve.
      if (!entry || (running > 0 && usedBytes + entry.costBytes > limits.memoryBytes)) return
      start(entry)
    }
  }
  const start = (entry: Entry) => {
    const endTurn = turns.begin(entry.origin, times.expected(entry.origin))
    const endTime = times.begin(entry.origin)
    running++
    usedBytes += entry.costBytes
    void entry.start().finally(() => {
      running--
      usedBytes -= entry.costBytes
      endTurn(endTime())
      pump()
    })
  }

  return {
    full,
    push: (job) =>
      new Promise((done, failed) => {
        if (job.signal.aborted) return failed(job.signal.reason)
        const { class: workClass } = job.urgency
        const refusal = full(workClass, job.origin)
        if (refusal) return failed(refusal)
        const entry = createEntry(job, { done, failed }, () => {
          clearTimeout(timer)
          entries.splice(entries.indexOf(entry), 1)
        })
        // Refused while there is time left for something else: an old or a wider variant, or another replica.
        const timer = setTimeout(() => shed(entry), limits.longestWaitMs)
        entries.push(entry)
        const same = waitingIn(workClass)
        if (same.length > limits.lengths[workClass]) shed(oldestOf(same))
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

/** A job that waits. It leaves the queue when it starts, when it is refused, and when its signal aborts. */
function createEntry<T>(
  { urgency, origin, costBytes, signal, run }: Job<T>,
  { done, failed }: { done: (value: T) => void; failed: (reason: unknown) => void },
  onLeave: () => void,
): Entry {
  const abort = () => entry.refuse(signal.reason)
  const leave = () => {
    signal.removeEventListener('abort', abort)
    onLeave()
  }
  signal.addEventListener('abort', abort, { once: true })
  const entry: Entry = {
    urgency,
    origin,
    costBytes,
    start() {
      leave()
      return run().then(done, failed)
    },
    refuse(reason) {
      leave()
      failed(reason)
    },
  }
  return entry
}

/** What jobs take, by host: images of one source differ less than those of two. */
function createJobTimes(now: () => number) {
  const averages = new Map<string, number>()
  const running = new Set<{ key: string; startedAt: number }>()
  const keyOf = ({ pattern, host }: WorkOrigin) => `${pattern} ${host}`
  const average = (key: string) => averages.get(key) ?? FIRST_JOB_MS
  return {
    /** Milliseconds. A job that runs for longer than those before it tells of a busy machine before it ends. */
    expected(origin: WorkOrigin): number {
      const same = [...running].filter(({ key }) => key === keyOf(origin))
      return Math.max(average(keyOf(origin)), ...same.map(({ startedAt }) => now() - startedAt))
    },
    /** Counts a job as begun; the returned function counts its end and returns what it took. */
    begin(origin: WorkOrigin): () => number {
      const job = { key: keyOf(origin), startedAt: now() }
      running.add(job)
      return () => {
        running.delete(job)
        const tookMs = now() - job.startedAt
        const next = average(job.key) + (tookMs - average(job.key)) / 4
        // SECURITY: names below a wildcard cost nothing, so only so many are remembered.
        if (averages.size >= MOST_HOSTS) averages.clear()
        averages.set(job.key, next)
        return tookMs
      }
    },
  }
}

type Held = Pick<Entry, 'origin'>

/** The host with most entries in the pattern with most entries; the older one among equals. */
function largestHolder(entries: readonly Held[]): WorkOrigin {
  const pattern = mostFrequent(entries.map(({ origin }) => origin.pattern))
  const inPattern = entries.filter(({ origin }) => origin.pattern === pattern)
  return { pattern, host: mostFrequent(inPattern.map(({ origin }) => origin.host)) }
}

/** The oldest entry of the largest holder. */
function oldestOf(entries: readonly Entry[]): Entry {
  const holder = largestHolder(entries)
  // It holds at least one of them.
  return entries.find(({ origin }) => isSame(origin, holder))!
}

function isSame(left: WorkOrigin, right: WorkOrigin): boolean {
  return left.pattern === right.pattern && left.host === right.host
}

/** The first one among equals. */
function mostFrequent(names: readonly string[]): string {
  const counts = new Map<string, number>()
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
  const most = Math.max(...counts.values())
  return [...counts].find(([, count]) => count === most)?.[0] ?? ''
}
