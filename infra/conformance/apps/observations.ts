// What was seen of a site: for each request, page, link and form a set of named values that do not depend on the address
// of the site and the names of its files.

import type { KnownDifference } from './apps.ts'

export type Facts = Record<string, string>

export interface Observations {
  facts: ReadonlyMap<string, Facts>
  add(where: string, facts: Facts): void
}

export interface Difference {
  where: string
  what: string
  next: string
  portico: string
  /** Why it is known. */
  reason?: string
}

export function createObservations(origin: string): Observations {
  const facts = new Map<string, Facts>()
  const neutral = (text: string) =>
    text
      .replaceAll(origin, '')
      .replaceAll(encodeURIComponent(origin), '')
      .replace(/\/_(?:next|portico)\/image\?url=([^&\s]*)\S*/g, (_, url: string) => `image ${decodeURIComponent(url)}`)
      .replace(/\/_(?:next\/static|portico)\/\S+/g, 'asset')
      .replace(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'a uuid')
      .replace(/\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z/g, 'a time')
      .replace(/[0-9a-f]{64}/g, 'a hash')
      .replace(/\b(state|code_challenge)=[\w-]{43}/g, '$1=a hash')
      .replace(/[ \t]+/g, ' ')
      .trim()
  return {
    facts,
    add(where, seen) {
      facts.set(where, Object.fromEntries(Object.entries(seen).map(([what, value]) => [what, neutral(value)])))
    },
  }
}

export function compareObservations(next: Observations[], portico: Observations[]): Difference[] {
  const [ofNext, ofPortico] = [new Map(next.flatMap(entries)), new Map(portico.flatMap(entries))]
  return [...new Set([...ofNext.keys(), ...ofPortico.keys()])].flatMap((where) => {
    const [one, other] = [ofNext.get(where), ofPortico.get(where)]
    if (!one || !other) return [{ where, what: 'seen', next: one ? 'yes' : 'no', portico: other ? 'yes' : 'no' }]
    const names = [...new Set([...Object.keys(one), ...Object.keys(other)])]
    return names
      .filter((what) => one[what] !== other[what])
      .map((what) => ({ where, what, ...firstDifferent(one[what] ?? '', other[what] ?? '') }))
  })
}

/** Gives each difference the reason of the known one; `gone` are the known ones that match nothing. */
export function explain(found: Difference[], known: KnownDifference[]) {
  const matches = (difference: Difference, entry: KnownDifference) =>
    entry.what === difference.what &&
    (entry.where.endsWith('*')
      ? difference.where.startsWith(entry.where.slice(0, -1))
      : entry.where === difference.where)
  const differences = found.map((difference) => {
    const reason = known.find((entry) => matches(difference, entry))?.reason
    return reason === undefined ? difference : { ...difference, reason }
  })
  return {
    differences,
    gone: known.filter((entry) => !entry.varies && !found.some((difference) => matches(difference, entry))),
  }
}

/** The first line that differs: a page has many. */
function firstDifferent(next: string, portico: string): { next: string; portico: string } {
  const [one, other] = [next.split('\n'), portico.split('\n')]
  const at = one.findIndex((line, index) => line !== other[index])
  const line = at === -1 ? one.length : at
  return { next: one[line] ?? '', portico: other[line] ?? '' }
}

function entries({ facts }: Observations): [string, Facts][] {
  return [...facts]
}
