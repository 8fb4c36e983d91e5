// Whose turn it is among names that share encoders: start-time fair queuing (Goyal, Vin, Cheng 1996). The name that was
// served least goes first; time in which a name wanted nothing is not saved up for later.

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
