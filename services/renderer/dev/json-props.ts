// Props are sent as JSON (D7): under development the renderer names the path of every value that JSON would change.

/** The effect of JSON on a value, with the value's path in the spelling of code. */
export interface PropFault {
  path: string
  what: string
  /** JSON cannot represent the value, in production neither. */
  isFatal: boolean
}

/** Deeper values are not checked: JSON still fails for them, but without a path. */
const MOST_DEPTH = 64

/** Every value below `value` that JSON drops, changes or refuses. */
export function findPropFaults(value: unknown, path = 'props'): PropFault[] {
  const faults: PropFault[] = []
  visit(value, path, [], faults)
  return faults
}

function visit(value: unknown, path: string, above: readonly object[], faults: PropFault[]): void {
  const what = faultOf(value)
  if (what) faults.push({ path, what, isFatal: typeof value === 'bigint' })
  if (what || typeof value !== 'object' || value === null || above.length > MOST_DEPTH) return
  if (above.includes(value)) {
    faults.push({ path, what: 'a value that contains itself', isFatal: true })
    return
  }
  const inside = [...above, value]
  if (Array.isArray(value)) value.forEach((item, index) => void visit(item, `${path}[${index}]`, inside, faults))
  else for (const [name, member] of Object.entries(value)) visit(member, memberPath(path, name), inside, faults)
}

function memberPath(path: string, name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? `${path}.${name}` : `${path}[${JSON.stringify(name)}]`
}

function faultOf(value: unknown): string | undefined {
  switch (typeof value) {
    case 'undefined':
      return 'undefined, which JSON leaves out'
    case 'function':
      return 'a function, which JSON leaves out'
    case 'symbol':
      return 'a symbol, which JSON leaves out'
    case 'bigint':
      return 'a bigint, which JSON cannot represent'
    case 'number':
      return Number.isFinite(value) ? undefined : `${value}, which arrives as null`
    case 'object':
      return value === null ? undefined : objectFault(value)
    default:
      return undefined
  }
}

function objectFault(value: object): string | undefined {
  if (value instanceof Date) return 'a Date, which arrives as a string'
  if (value instanceof Map || value instanceof Set) return `a ${value.constructor.name}, which arrives as {}`
  const prototype: unknown = Object.getPrototypeOf(value)
  if (Array.isArray(value) || prototype === null || prototype === Object.prototype) return undefined
  // An object of another realm is as plain as one of this realm.
  if (Object.getPrototypeOf(prototype) === null) return undefined
  return `an instance of ${value.constructor?.name || 'a class'}, which arrives as a plain object`
}
