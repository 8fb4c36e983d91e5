// Reads what the calculator is given: numbers, the mix of requests, processor time that the operator measured.

import { parseJson } from '@portico/shared/wire/json/json-value.ts'
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
  if (typeof given !== 'object' || given === null) throw new TypeError('costs must be an object in JSON')
  const costs = structuredClone(COSTS) as Record<Kind, Record<string, number>>
  for (const [kind, parts] of Object.entries(given)) {
    const known = costs[parseKind(kind)]
    if (typeof parts !== 'object' || parts === null) throw new TypeError(`costs of ${kind} must be an object`)
    for (const [part, value] of Object.entries(parts)) {
      if (!PARTS.includes(part)) throw new RangeError(`${kind}.${part} is not a part; parts: ${PARTS.join(', ')}`)
      if (typeof value !== 'number' || !(value >= 0)) throw new RangeError(`${kind}.${part}=${value} must be 0 or more`)
      known[part] = value
    }
  }
  return costs
}

function parseKind(text: string): Kind {
  const kind = KINDS.find((each) => each === text)
  if (kind === undefined) throw new RangeError(`"${text}" is not a kind of request; kinds: ${KINDS.join(', ')}`)
  return kind
}
