// Reads what the calculator is given: numbers, the mix of requests, processor time that the operator measured.

import { COSTS, type Costs, KINDS, type Kind } from './costs.ts'
import type { Traffic } from './model.ts'

const PARTS = ['gateway', 'renderer', 'images', 'actions', 'redis']

export function parseNumber(name: string, text: string): number {
  const value = Number(text)
  if (text.trim() === '' || !Number.isFinite(value)) throw new RangeError(`${name}=${text} is not a number`)
  return value
}

/** Kinds that the list does not name have no requests. */
export function parseMix(text: string): Traffic['mix'] {
  const mix: Record<Kind, number> = { page: 0, file: 0, image: 0, rendered: 0, action: 0, 'new-image': 0 }
  const given = new Set<Kind>()
  for (const entry of text.split(',')) {
    const [name = '', share = ''] = entry.split('=')
    const kind = parseKind(name.trim())
    if (given.has(kind)) throw new RangeError(`mix=${text} must have ${kind} once`)
    given.add(kind)
    mix[kind] = parseNumber(kind, share)
  }
  return mix
}

/** JSON with milliseconds by kind and part; what it does not name is as measured here. */
export function parseCosts(text: string): Costs {
  const given = parseJson(text)
  if (!isObject(given)) throw new TypeError('costs must be an object: {"rendered":{"renderer":12}}')
  const costs = structuredClone(COSTS) as Record<Kind, Record<string, number>>
  for (const [kind, parts] of Object.entries(given)) {
    const known = costs[parseKind(kind)]
    if (!isObject(parts))
      throw new TypeError(`${kind}=${JSON.stringify(parts)} must be an object: {"${kind}":{"gateway":0.9}}`)
    for (const [part, value] of Object.entries(parts)) {
      if (!PARTS.includes(part)) throw new RangeError(`${kind}.${part} is not a part; parts: ${PARTS.join(', ')}`)
      if (typeof value !== 'number' || !(value >= 0))
        throw new RangeError(`${kind}.${part}=${JSON.stringify(value)} must be a number of milliseconds, 0 or more`)
      known[part] = value
    }
  }
  return costs
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new SyntaxError(`costs must be JSON: ${cause instanceof Error ? cause.message : cause}`, { cause })
  }
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

function parseKind(text: string): Kind {
  const kind = KINDS.find((each) => each === text)
  if (kind === undefined) throw new RangeError(`"${text}" is not a kind of request; kinds: ${KINDS.join(', ')}`)
  return kind
}
