// The bounded queue in front of the encoders (I7): viewers before refreshes before warm-up; within a class sources take
// turns by start-time fair queuing (Goyal, Vin, Cheng 1996), first between patterns, then between the hosts of one
// pattern; memory bounds the running jobs. Load is shed by age and by source: no source occupies all encoders, nor, by
// its share of the running work, all fetches (Choudhury, Hahne 1998). What a job does is left to make/.

import { addAbortListener } from 'node:events'

export type WorkClass = 'viewer' | 'refresh' | 'warm-up'

/** The most urgent class first. */
const CLASSES: readonly WorkClass[] = ['viewer', 'refresh', 'warm-up']

/** 0 for the most urgent class. */
export function rankOf(workClass: WorkClass): number {
  return CLASSES.indexOf(workClass)
}

/** Shared by all requests that wait for one piece of work: a viewer who joins a refresh makes the refresh urgent. */
export interface Urgency {
  class: WorkClass
}

export interface QueueLimits {
  /** Limit of running jobs. */
  slots: number
  /** Limit for the bytes of all running jobs together; a single job may always run. */
  memoryBytes: number
  /** Limits of waiting jobs, by class. */
  lengths: Record<WorkClass, number>
  /** An expected or real wait over this limit counts as a full queue: a response that is too late helps no client. */
  longestWaitMs: number
}

/** Why work is rejected, for metrics and the log. */
export const REJECTION_CAUSES = [
  /** No place for one more job of the class. */
  'queue-full',
  /** The expected wait of a new job is too long. */
  'queue-wait',
  /** The job waited too long. */
  'queue-late',
  /** A job of another host took the place of this one. */
  'displaced',
  /** The source holds its share of the work. */
  'source-share',
  /** No encoder became free in time. */
  'encoder-away',
  /** The client has had its number of images made. */
  'client-limit',
] as const
export type RejectionCause = (typeof REJECTION_CAUSES)[number]

/** The queue refuses work of this class and origin now. */
export class QueueFullError extends Error {
  override name = 'QueueFullError'
  readonly retryAfterSeconds: number
  readonly rejection: RejectionCause
  constructor(retryAfterSeconds: number, rejection: RejectionCause) {
    super('the queue is full')
    this.retryAfterSeconds = retryAfterSeconds
    this.rejection = rejection
  }
}

interface Job<T> {
  urgency: Urgency
  origin: WorkOrigin
  costBytes: number
  signal: AbortSignal
  run: () => Promise<T>
}

export type EncodeQueue = ReturnType<typeof createQueue>

interface Entry extends Pick<Job<unknown>, 'urgency' | 'origin' | 'costBytes'> {
  start(): Promise<void>
  refuse(reason: unknown): void
}

/** The expected time of a job before the first job of its host has ended: the time of a middle-sized AVIF. */
const FIRST_JOB_MS = 150
/** Limit of hosts with remembered job times. */
const MOST_HOSTS = 1000

/** `now` is a monotonic clock in milliseconds. */
export function createQueue(limits: QueueLimits, now: () => number = () => performance.now()) {
  /** In order of arrival. */
  const waiting: Entry[] = []
  const running = new Set<Entry>()
  const times = createJobTimes(now)
  const turns = new OriginTurns()

  /**
   * The time until a new job of this host would begin if the host had all encoders: jobs of other hosts must not cause
   * a refusal. If turns of other hosts delay the job, the age limit sheds the job.
   */
  const expectedWaitMs = (workClass: WorkClass, origin: WorkOrigin) => {
    const ahead = waiting.filter(
      (entry) => isSame(entry.origin, origin) && rankOf(entry.urgency.class) <= rankOf(workClass),
    )
    return (ahead.length * times.expected(origin)) / limits.slots
  }
  const waitingIn = (workClass: WorkClass) => waiting.filter((entry) => entry.urgency.class === workClass)
  /** The error with which the queue would refuse work of this class and origin now; undefined if it would not. */
  const full = (workClass: WorkClass, origin: WorkOrigin): QueueFullError | undefined => {
    const waitMs = expectedWaitMs(workClass, origin)
    const same = waitingIn(workClass)
    const hasRoom = same.length < limits.lengths[workClass]
    const mayTakeRoom = hasRoom || !isSame(largestHolder([...same, { origin }]), origin)
    if (waitMs > limits.longestWaitMs) return refusalOf(waitMs, 'queue-wait')
    return mayTakeRoom ? undefined : refusalOf(waitMs, 'queue-full')
  }
  const refuse = (entry: Entry, reason: unknown) => {
    if (removeFrom(waiting, entry)) entry.refuse(reason)
  }
  const shed = (entry: Entry, cause: RejectionCause) =>
    refuse(entry, refusalOf(expectedWaitMs(entry.urgency.class, entry.origin), cause))
  const start = (entry: Entry) => {
    const endTurn = turns.begin(entry.origin, times.expected(entry.origin))
    const endTime = times.begin(entry.origin)
    running.add(entry)
    void entry.start().finally(() => {
      running.delete(entry)
      endTurn(endTime())
      pump()
    })
  }
  const pump = () => {
    while (running.size < limits.slots) {
      const workClass = CLASSES.find((name) => waitingIn(name).length > 0)
      const next = workClass && turns.next(waitingIn(workClass))
      const usedBytes = running.values().reduce((sum, { costBytes }) => sum + costBytes, 0)
      // A smaller job must not overtake the next one, which would starve.
      if (!next || (running.size > 0 && usedBytes + next.costBytes > limits.memoryBytes)) return
      removeFrom(waiting, next)
      start(next)
    }
  }

  return {
    full,
    /** Runs the job at its turn. Rejects with QueueFullError, or with the signal's reason while the job waits. */
    async push<T>({ urgency, origin, costBytes, signal, run }: Job<T>): Promise<T> {
      signal.throwIfAborted()
      const refusal = full(urgency.class, origin)
      if (refusal) throw refusal
      const { promise, resolve, reject } = Promise.withResolvers<T>()
      const entry: Entry = { urgency, origin, costBytes, start: () => run().then(resolve, reject), refuse: reject }
      waiting.push(entry)
      const same = waitingIn(urgency.class)
      if (same.length > limits.lengths[urgency.class]) shed(oldestOf(same), 'displaced')
      pump()
      // Refused early enough for an alternative: an old or a wider variant, or another replica.
      const timer = setTimeout(() => shed(entry, 'queue-late'), limits.longestWaitMs)
      using _abort = addAbortListener(signal, () => refuse(entry, signal.reason))
      return await promise.finally(() => clearTimeout(timer))
    },
    get waiting() {
      return waiting.length
    },
    get running() {
      return running.size
    },
  }
}

function refusalOf(waitMs: number, cause: RejectionCause): QueueFullError {
  return new QueueFullError(Math.max(1, Math.ceil(waitMs / 1000)), cause)
}

/** Whether the list contained the entry. */
function removeFrom(entries: Entry[], entry: Entry): boolean {
  const at = entries.indexOf(entry)
  return at >= 0 && entries.splice(at, 1).length > 0
}

/** Average times of jobs, by host: images of one source differ less than images of two sources. */
function createJobTimes(now: () => number) {
  const averages = new Map<string, number>()
  const running = new Set<{ key: string; startedAt: number }>()
  const keyOf = ({ pattern, host }: WorkOrigin) => `${pattern} ${host}`
  const average = (key: string) => averages.get(key) ?? FIRST_JOB_MS
  return {
    /** Milliseconds. A running job that already exceeds the average counts too, because the machine may be busy. */
    expected(origin: WorkOrigin): number {
      const same = [...running].filter(({ key }) => key === keyOf(origin))
      return Math.max(average(keyOf(origin)), ...same.map(({ startedAt }) => now() - startedAt))
    },
    /** Counts a job as begun; the returned function counts its end and returns its milliseconds. */
    begin(origin: WorkOrigin): () => number {
      const job = { key: keyOf(origin), startedAt: now() }
      running.add(job)
      return () => {
        running.delete(job)
        const tookMs = now() - job.startedAt
        const next = average(job.key) + (tookMs - average(job.key)) / 4
        // SECURITY: names below a wildcard cost a client nothing, so their number is limited.
        if (averages.size >= MOST_HOSTS) averages.clear()
        averages.set(job.key, next)
        return tookMs
      }
    },
  }
}

type Held = Pick<Entry, 'origin'>

/** The host with most entries in the pattern with most entries; the older host among equals. */
function largestHolder(entries: readonly Held[]): WorkOrigin {
  const pattern = mostFrequent(entries.map(({ origin }) => origin.pattern))
  const inPattern = entries.filter(({ origin }) => origin.pattern === pattern)
  return { pattern, host: mostFrequent(inPattern.map(({ origin }) => origin.host)) }
}

/** The oldest entry of the largest holder. */
function oldestOf(entries: readonly Entry[]): Entry {
  const holder = largestHolder(entries)
  // The largest holder holds at least one entry.
  return entries.find(({ origin }) => isSame(origin, holder))!
}

function isSame(left: WorkOrigin, right: WorkOrigin): boolean {
  return left.pattern === right.pattern && left.host === right.host
}

/** The first name among equals. */
function mostFrequent(names: readonly string[]): string {
  const counts = new Map<string, number>()
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
  const most = Math.max(...counts.values())
  return [...counts].find(([, count]) => count === most)?.[0] ?? ''
}

/** Where the source of a job comes from. */
export interface WorkOrigin {
  /**
   * The allowed pattern, empty for the site itself. SECURITY: hosts of one pattern share the turns of the pattern, so
   * that a client gains no turn by inventing names below an allowed wildcard.
   */
  pattern: string
  host: string
}

/** SECURITY: names below a wildcard cost a client nothing, so their number is limited. */
const MOST_NAMES = 1000

/** Turns of names; remembers only names that were served recently. */
export class FairTurns {
  /** Virtual time at which the last turn began … */
  #clock = 0
  /** … and at which the turns of each name end. */
  readonly #ends = new Map<string, number>()

  #startOf(name: string): number {
    return Math.max(this.#clock, this.#ends.get(name) ?? this.#clock)
  }

  /** The next name; the first of `names` among equals; undefined without names. */
  next(names: Iterable<string>): string | undefined {
    let next: string | undefined
    for (const name of names) if (next === undefined || this.#startOf(name) < this.#startOf(next)) next = name
    return next
  }

  /** Counts a turn that begins, with its expected milliseconds. */
  begin(name: string, milliseconds: number): void {
    this.#clock = this.#startOf(name)
    if (this.#ends.size >= MOST_NAMES) this.#ends.clear()
    this.#ends.set(name, this.#clock + milliseconds)
    for (const [other, end] of this.#ends) if (end <= this.#clock) this.#ends.delete(other)
  }

  /** Adds the difference between the real and the expected milliseconds of a turn. */
  correct(name: string, milliseconds: number): void {
    this.#ends.set(name, (this.#ends.get(name) ?? this.#clock) + milliseconds)
  }
}

/** Turns of patterns, and of the hosts in each pattern. */
class OriginTurns {
  readonly #patterns = new FairTurns()
  /** One entry per pattern of the config. */
  readonly #hosts = new Map<string, FairTurns>()

  #hostsOf(pattern: string): FairTurns {
    return this.#hosts.getOrInsertComputed(pattern, () => new FairTurns())
  }

  /** The next job; the first of `jobs` among equals; undefined without jobs. */
  next<T extends { origin: WorkOrigin }>(jobs: readonly T[]): T | undefined {
    const pattern = this.#patterns.next(jobs.map(({ origin }) => origin.pattern))
    if (pattern === undefined) return undefined
    const inPattern = jobs.filter(({ origin }) => origin.pattern === pattern)
    const host = this.#hostsOf(pattern).next(inPattern.map(({ origin }) => origin.host))
    return inPattern.find(({ origin }) => origin.host === host)
  }

  /** Counts a job that begins with its expected milliseconds; the returned function corrects them to the real ones. */
  begin({ pattern, host }: WorkOrigin, expectedMs: number): (tookMs: number) => void {
    const hosts = this.#hostsOf(pattern)
    this.#patterns.begin(pattern, expectedMs)
    hosts.begin(host, expectedMs)
    return (tookMs) => {
      this.#patterns.correct(pattern, tookMs - expectedMs)
      hosts.correct(host, tookMs - expectedMs)
    }
  }
}

/** One host may hold two thirds of the places, one pattern three quarters. */
const HOST_MULTIPLE = 2
const PATTERN_MULTIPLE = 3

/** `most` is the limit of pieces of work at the same time. */
export function createWorkShares(most: number) {
  const held = new Set<WorkOrigin>()
  const count = (matches: (origin: WorkOrigin) => boolean) => [...held].filter(matches).length
  return {
    /** Whether work of this origin may begin. */
    admits({ pattern, host }: WorkOrigin): boolean {
      const free = most - held.size
      const inPattern = count((other) => other.pattern === pattern)
      const ofHost = count((other) => other.pattern === pattern && other.host === host)
      return ofHost < HOST_MULTIPLE * free && inPattern < PATTERN_MULTIPLE * free
    },
    /** Counts work as begun; the returned function counts the end of the work. */
    begin(origin: WorkOrigin): () => void {
      // A new object, because the set compares by identity.
      const piece = { ...origin }
      held.add(piece)
      return () => void held.delete(piece)
    },
  }
}
