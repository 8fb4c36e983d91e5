// How the parsers of portico.config.ts report faults, and the checks that several of them use.

import { didYouMean } from '@portico/shared/wire/nearest-name.ts'

/** Adds a fault; `field` is a path such as `redirects[0].source`. */
export type Refuse = (field: string, value: unknown, rule: string) => void

/** Refuses members that Portico would ignore. */
export function refuseUnknown(field: string, value: Record<string, unknown>, known: readonly string[], refuse: Refuse) {
  for (const [name, member] of Object.entries(value))
    if (!known.includes(name))
      refuse(`${field}.${name}`, member, `is not a member of this rule${meantOrKnown(name, known)}`)
}

/** The end of a rule about an unknown name: the known name that was probably meant, else all of them. */
export function meantOrKnown(name: string, known: readonly string[]): string {
  return didYouMean(name, known) || `; known: ${known.join(', ')}`
}

/** Whether Node accepts a header value; Node would throw on every request for any other. */
export function isHeaderText(value: unknown): value is string {
  return typeof value === 'string' && /^[\t\x20-\x7e\x80-\xff]*$/.test(value)
}
