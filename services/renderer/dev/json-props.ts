// Props are sent as JSON (D7): under development a value that JSON drops, changes or refuses is an error with its path.

import { isPromise } from '@portico/shared/wire/deferred/encode.ts'

/** A value that does not arrive in the browser as it is. */
interface PropFault {
  /** In the spelling of code, such as `props.items[3].createdAt`. */
  path: string
  /** The value and its remedy. */
  what: string
}

/** Deeper values are not checked: JSON still fails for them, but without a path. */
const MOST_DEPTH = 64
/** Faults in one message; a list repeats the same fault in each item. */
const MOST_FAULTS = 10

/** The message for an author, with a line per fault; undefined without a fault. `name` is that of the data function. */
export function propFaultsText(props: unknown, name: string, place?: PropPlace): string | undefined {
  const faults = findPropFaults(props, place)
  if (faults.length === 0) return undefined
  const lines = faults.slice(0, MOST_FAULTS).map(({ path, what }) => `${path}: ${what}`)
  if (faults.length > MOST_FAULTS) lines.push(`and ${faults.length - MOST_FAULTS} more`)
  return `${name} returned values that cannot be sent as JSON:\n${lines.join('\n')}`
}

/** Where the checked value is, and the promises in it, whose values the caller checks when they settle. */
interface PropPlace {
  path: string
  promises: Map<PromiseLike<unknown>, string>
}

/** Every value below `value` that JSON drops, changes or refuses. Adds promises to those of the place. */
export function findPropFaults(
  value: unknown,
  { path, promises }: PropPlace = { path: 'props', promises: new Map() },
): PropFault[] {
  const faults: PropFault[] = []
  visit(value, path, [], { faults, promises })
  return faults
}

interface Found extends Pick<PropPlace, 'promises'> {
  faults: PropFault[]
}

function visit(value: unknown, path: string, above: readonly object[], found: Found): void {
  if (isPromise(value)) return void found.promises.set(value, path)
  const what = faultOf(value, above)
  if (what) found.faults.push({ path, what })
  if (what || typeof value !== 'object' || value === null || above.length > MOST_DEPTH) return
  const inside = [...above, value]
  // Array.from also reads the holes of a list, which JSON writes as null.
  if (Array.isArray(value))
    for (const [index, item] of Array.from(value).entries()) visit(item, `${path}[${index}]`, inside, found)
  else for (const [name, member] of Object.entries(value)) visit(member, memberPath(path, name), inside, found)
}

function memberPath(path: string, name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? `${path}.${name}` : `${path}[${JSON.stringify(name)}]`
}

function faultOf(value: unknown, above: readonly object[]): string | undefined {
  switch (typeof value) {
    case 'undefined':
      return 'undefined; leave the member out or use null'
    case 'function':
      return 'a function; leave the member out'
    case 'symbol':
      return 'a symbol; use a string'
    case 'bigint':
      return 'a bigint; use a string or a number'
    case 'number':
      return Number.isFinite(value) ? undefined : `${value}; use null`
    case 'object':
      if (value === null) return undefined
      return above.includes(value) ? 'a value that contains itself; leave the member out' : objectFault(value)
    default:
      return undefined
  }
}

function objectFault(value: object): string | undefined {
  if (value instanceof Date) return 'a Date; use date.toISOString()'
  if (value instanceof Map) return 'a Map; use Object.fromEntries(map)'
  if (value instanceof Set) return 'a Set; use [...set]'
  const prototype: unknown = Object.getPrototypeOf(value)
  if (Array.isArray(value) || prototype === null || prototype === Object.prototype) return undefined
  // An object of another realm is as plain as one of this realm.
  if (Object.getPrototypeOf(prototype) === null) return undefined
  return `an instance of ${value.constructor?.name || 'a class'}; use a plain object with its members`
}
