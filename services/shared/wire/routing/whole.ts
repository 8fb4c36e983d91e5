// The query parameter that requests a document with all of its deferred parts (W12).

import { WHOLE_PARAMETER } from '../constants.ts'

const MEMBER = `${WHOLE_PARAMETER}=1`

/** The query without the parameter; undefined for a query that has none. `search` is empty or begins with `?`. */
export function withoutWhole(search: string): string | undefined {
  if (!search.includes(MEMBER)) return undefined
  const members = search.slice(1).split('&')
  const rest = members.filter((member) => member !== MEMBER)
  if (rest.length === members.length) return undefined
  return rest.length === 0 ? '' : `?${rest.join('&')}`
}
