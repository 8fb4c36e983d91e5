// The one encoder of deferred data (W2); decode.ts is the one decoder.

import { DEFERRED_MEMBER } from './lines.ts'

/**
 * JSON of a value, with a placeholder for each promise. Throws where JSON.stringify throws; undefined where it returns
 * undefined.
 */
export function encodeDeferred(value: unknown, numberOf: (promise: object) => number): string | undefined {
  /** Values of an author that are in their lists already. */
  const escaped = new Set<object>()
  return JSON.stringify(value, (_name, member: unknown) => {
    if (typeof member !== 'object' || member === null || Array.isArray(member)) return member
    if (isPromise(member)) return { [DEFERRED_MEMBER]: numberOf(member) }
    if (!Object.hasOwn(member, DEFERRED_MEMBER) || escaped.delete(member)) return member
    escaped.add(member)
    return { [DEFERRED_MEMBER]: [member] }
  })
}

/**
 * The value with other promises in the place of its promises. Objects without promises are the same objects; the others
 * are copied, because an author's object may be shared by requests.
 */
export function replacePromises(given: unknown, replace: (promise: PromiseLike<unknown>) => unknown): unknown {
  if (!mayHavePromises(given, { objects: MOST_OBJECTS })) return given
  const seen = new Map<object, unknown>()
  const visit = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return value
    if (isPromise(value)) return replace(value)
    if (seen.has(value)) return seen.get(value)
    // A value that contains itself is left as it is, and JSON refuses it.
    seen.set(value, value)
    if ('toJSON' in value) return value
    let copy: object | undefined
    for (const [name, member] of Object.entries(value)) {
      const replaced = visit(member)
      if (replaced === member) continue
      copy ??= Array.isArray(value) ? [...value] : { ...value }
      // An own member with this name exists in the copy, so that `__proto__` is a name like others.
      Reflect.set(copy, name, replaced)
    }
    seen.set(value, copy ?? value)
    return copy ?? value
  }
  return visit(given)
}

/** Values of more objects, or that contain themselves, are walked by the slower function. */
const MOST_OBJECTS = 2000

/** A quick look, because most props have no promises: without notes of what was seen, a sixth of the time. */
function mayHavePromises(value: unknown, left: { objects: number }): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (left.objects-- <= 0 || isPromise(value)) return true
  if (Array.isArray(value)) {
    for (const member of value) if (mayHavePromises(member, left)) return true
    return false
  }
  for (const name in value) if (mayHavePromises((value as Record<string, unknown>)[name], left)) return true
  return false
}

/** Promises of other libraries have only `then`. */
export function isPromise(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function'
}
