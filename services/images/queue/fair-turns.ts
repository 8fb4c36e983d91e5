// Chooses which source uses an encoder next: start-time fair queuing (Goyal, Vin, Cheng 1996), first between patterns,
// then between the hosts of one pattern. The least served name is next; a name without jobs collects no credit.

/** Where the source of a job comes from. */
export interface WorkOrigin {
  /**
   * The allowed pattern, empty for the site itself. SECURITY: hosts of one pattern share the turns of the pattern, so
   * that a client gains no turn by inventing names below an allowed wildcard.
   */
  pattern: string
  host: string
}

export interface OriginTurns {
  /** The next job; the first of `jobs` among equals; undefined without jobs. */
  next<T extends { origin: WorkOrigin }>(jobs: readonly T[]): T | undefined
  /** Counts a job that begins with its expected milliseconds; the returned function corrects them to the real ones. */
  begin(origin: WorkOrigin, expectedMs: number): (tookMs: number) => void
}

/** Begins with no name served. */
export function createOriginTurns(): OriginTurns {
  const patterns = createFairTurns()
  // One entry per pattern of the config.
  const hosts = new Map<string, FairTurns>()
  const hostsOf = (pattern: string) => {
    const turns = hosts.get(pattern) ?? createFairTurns()
    hosts.set(pattern, turns)
    return turns
  }
  return {
    next(jobs) {
      const pattern = patterns.next(jobs.map(({ origin }) => origin.pattern))
      if (pattern === undefined) return undefined
      const inPattern = jobs.filter(({ origin }) => origin.pattern === pattern)
      const host = hostsOf(pattern).next(inPattern.map(({ origin }) => origin.host))
      return inPattern.find(({ origin }) => origin.host === host)
    },
    begin({ pattern, host }, expectedMs) {
      const inPattern = hostsOf(pattern)
      patterns.begin(pattern, expectedMs)
      inPattern.begin(host, expectedMs)
      return (tookMs) => {
        patterns.correct(pattern, tookMs - expectedMs)
        inPattern.correct(host, tookMs - expectedMs)
      }
    },
  }
}

/** SECURITY: names below a wildcard cost a client nothing, so their number is limited. */
const MOST_NAMES = 1000

export interface FairTurns {
  /** The next name; the first of `names` among equals; undefined without names. */
  next(names: Iterable<string>): string | undefined
  /** Counts a turn that begins, with its expected milliseconds. */
  begin(name: string, milliseconds: number): void
  /** Adds the difference between the real and the expected milliseconds of a turn. */
  correct(name: string, milliseconds: number): void
}

/** Remembers only names that were served recently. */
export function createFairTurns(): FairTurns {
  /** Virtual time at which the last turn began … */
  let clock = 0
  /** … and at which the turns of each name end. */
  const ends = new Map<string, number>()
  const startOf = (name: string) => Math.max(clock, ends.get(name) ?? clock)

  return {
    next(names) {
      let next: string | undefined
      for (const name of names) if (next === undefined || startOf(name) < startOf(next)) next = name
      return next
    },
    begin(name, milliseconds) {
      clock = startOf(name)
      if (ends.size >= MOST_NAMES) ends.clear()
      ends.set(name, clock + milliseconds)
      for (const [other, end] of ends) if (end <= clock) ends.delete(other)
    },
    correct(name, milliseconds) {
      ends.set(name, (ends.get(name) ?? clock) + milliseconds)
    },
  }
}
