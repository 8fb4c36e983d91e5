// The bounded queue before the encoders (I7): viewers before refreshes before warm-up, sources by turns within a class,
// and weighed by memory. Work is shed by its age and by its source: no source keeps the encoders from all others.

import { createFairTurns, type FairTurns } from './fair-turns.ts'

export type WorkClass = 'viewer' | 'refresh' | 'warm-up'

const CLASSES: readonly WorkClass[] = ['viewer', 'refresh', 'warm-up']

/** Shared by everyone who waits for one piece of work: a viewer who joins a refresh makes it urgent. */
export interface Urgency {
  class: WorkClass
}

/** Where the source of a job comes from: those whom the encoders are shared among. */
export interface WorkOrigin {
  /**
   * The allowed pattern, empty for the site itself. SECURITY: hosts of one pattern share its turns, so that whoever
   * makes names below an allowed wildcard gains none by another name.
   */
  pattern: string
  host: string
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

interface Entry {
  urgency: Urgency
  origin: WorkOrigin
  costBytes: number
  start: () => Promise<void>
  refuse: (reason: unknown) => void
}

/** A job's time before any of its host has ended: what a middle-sized AVIF takes. */
const FIRST_JOB_MS = 150
/** Hosts whose jobs' times are remembered. */
const MOST_HOSTS = 1000

/** `now` is a monotonic clock in milliseconds. */
export function createQueue(limits: QueueLimits, now: () => number = () => performance.now()): EncodeQueue {
  /** In order of arrival. */
  const entries: Entry[] = []
  const running = new Set<{ entry: Entry; startedAt: number }>()
  const times = createJobTimes()
  const patterns = createFairTurns()
  const hosts = new Map<string, FairTurns>()
  let usedBytes = 0

  const hostsOf = (pattern: string) => getOrCreate(hosts, pattern, createFairTurns)
  /** What a job of that host will take. One that runs for longer than those before it tells of it before it ends. */
  const jobMs = (origin: WorkOrigin) => {
    const same = [...running].filter(({ entry }) => isSame(entry.origin, origin))
    return Math.max(times.average(origin), ...same.map(({ startedAt }) => now() - startedAt))
  }
  /**
   * Until a new job of that host would begin if it had the encoders to itself: what others wait for refuses nobody. What
   * they take of its turns is seen when its age is up.
   */
  const expectedWaitMs = (workClass: WorkClass, origin: WorkOrigin) => {
    const ahead = entries.filter(
      (entry) => isSame(entry.origin, origin) && CLASSES.indexOf(entry.urgency.class) <= CLASSES.indexOf(workClass),
    )
    return (ahead.length * jobMs(origin)) / limits.slots
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
    const same = workClass === undefined ? [] : waitingIn(workClass)
    const pattern = patterns.next(same.map((entry) => entry.origin.pattern))
    if (pattern === undefined) return undefined
    const inPattern = same.filter((entry) => entry.origin.pattern === pattern)
    const host = hostsOf(pattern).next(inPattern.map((entry) => entry.origin.host))
    return inPattern.find((entry) => entry.origin.host === host)
  }
  const pump = () => {
    while (running.size < limits.slots) {
      const entry = next()
      // The one whose turn it is is never overtaken by a smaller one: it would starve.
      if (!entry || (running.size > 0 && usedBytes + entry.costBytes > limits.memoryBytes)) return
      start(entry)
    }
  }
  const start = (entry: Entry) => {
    const { origin } = entry
    entries.splice(entries.indexOf(entry), 1)
    const expectedMs = jobMs(origin)
    const job = { entry, startedAt: now() }
    running.add(job)
    usedBytes += entry.costBytes
    patterns.begin(origin.pattern, expectedMs)
    hostsOf(origin.pattern).begin(origin.host, expectedMs)
    void entry.start().finally(() => {
      const tookMs = now() - job.startedAt
      running.delete(job)
      usedBytes -= entry.costBytes
      patterns.correct(origin.pattern, tookMs - expectedMs)
      hostsOf(origin.pattern).correct(origin.host, tookMs - expectedMs)
      times.note(origin, tookMs)
      pump()
    })
  }

  return {
    full,
    push: ({ urgency, origin, costBytes, signal, run }) =>
      new Promise((done, failed) => {
        if (signal.aborted) return failed(signal.reason)
        const refusal = full(urgency.class, origin)
        if (refusal) return failed(refusal)
        const settle = () => {
          clearTimeout(timer)
          signal.removeEventListener('abort', leave)
        }
        const entry: Entry = {
          urgency,
          origin,
          costBytes,
          start: () => {
            settle()
            return run().then(done, failed)
          },
          refuse: (reason) => {
            entries.splice(entries.indexOf(entry), 1)
            settle()
            failed(reason)
          },
        }
        const leave = () => entry.refuse(signal.reason)
        // Refused while there is time left for something else: an old or a wider variant, or another replica.
        const timer = setTimeout(() => shed(entry), limits.longestWaitMs)
        signal.addEventListener('abort', leave, { once: true })
        entries.push(entry)
        const same = waitingIn(urgency.class)
        if (same.length > limits.lengths[urgency.class]) shed(oldestOf(same))
        pump()
      }),
    get waiting() {
      return entries.length
    },
    get running() {
      return running.size
    },
  }
}

/** Moving averages of jobs' times by host: images of one source differ less than those of two. */
function createJobTimes() {
  const averages = new Map<string, number>()
  const keyOf = ({ pattern, host }: WorkOrigin) => `${pattern} ${host}`
  const average = (origin: WorkOrigin) => averages.get(keyOf(origin)) ?? FIRST_JOB_MS
  return {
    average,
    note(origin: WorkOrigin, tookMs: number) {
      const next = average(origin) + (tookMs - average(origin)) / 4
      // SECURITY: names below a wildcard cost nothing, so only so many are remembered.
      if (averages.size >= MOST_HOSTS) averages.clear()
      averages.set(keyOf(origin), next)
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

function getOrCreate<V>(map: Map<string, V>, key: string, create: () => V): V {
  const found = map.get(key)
  if (found !== undefined) return found
  const created = create()
  map.set(key, created)
  return created
}
