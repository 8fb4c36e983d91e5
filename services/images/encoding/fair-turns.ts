// Whose turn it is among those that share the encoders: start-time fair queuing (Goyal, Vin, Cheng 1996), first between
// patterns, then between the hosts of one. What was served least goes first; time in which it wanted nothing is not saved
// up for later.

/** Where the source of a job comes from. */
export interface WorkOrigin {
  /**
   * The allowed pattern, empty for the site itself. SECURITY: hosts of one pattern share its turns, so that a client
   * that makes up names below an allowed wildcard gains no turn by another name.
   */
  pattern: string
  host: string
}

export interface OriginTurns {
  /** The job whose turn it is, the first one given among equals; undefined when there is none. */
  next<T extends { origin: WorkOrigin }>(jobs: readonly T[]): T | undefined
  /** Counts a job that begins, with the milliseconds that it will take; the returned function counts what it took. */
  begin(origin: WorkOrigin, expectedMs: number): (tookMs: number) => void
}

/** Nothing was served yet. */
export function createOriginTurns(): OriginTurns {
  const patterns = createFairTurns()
  // As many as the config has patterns.
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

/** SECURITY: names below a wildcard cost nothing, so only so many are remembered. */
const MOST_NAMES = 1000

export interface FairTurns {
  /** The name whose turn it is; the first one given among equals. Undefined when there is none. */
  next(names: Iterable<string>): string | undefined
  /** Counts a turn that begins, with the milliseconds that it will take. */
  begin(name: string, milliseconds: number): void
  /** Counts what the turn took more, or less, than was counted when it began. */
  correct(name: string, milliseconds: number): void
}

/** Knows only names that were served lately. */
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
