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
export class OriginTurns {
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
