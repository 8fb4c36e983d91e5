// In place of browser/navigation/places.ts in sites of Next.js: a page may be at the address of another page (`as` of the router, X2).

import type { Effect, Entry, Place } from '../../browser/navigation/navigation.ts'
import { historyKey } from '../../browser/tab.ts'
import type { View } from '../../browser/view.ts'

export function pageOf({ url, from }: Place): string {
  return from ? from.url : url
}

export function addressOf({ url, from }: Place): { address?: string } {
  return from ? { address: url } : {}
}

export function hasSamePage(one: Place, other: Place): boolean {
  return one.from?.url === other.from?.url
}

/** The query of a page that is not that of the address is among the parameters. */
export function viewAt({ from: _, routeParams, ...view }: View, { url, from }: Place): View {
  const params = routeParams ?? view.params
  if (!from) return { ...view, params, url }
  return { ...view, params: { ...from.query, ...params }, routeParams: params, url, from }
}

export function fetchOf({ url, from }: Place): Effect {
  return { kind: 'fetch', url, ...(from && { from: from.url }) }
}

export function historyPage(): Pick<Entry, 'from'> {
  const from: unknown = Object(history.state).from
  return isPage(from) ? { from } : {}
}

/** Other scripts add members to the entries of this framework. SECURITY: the page is one of this origin. */
function isPage(value: unknown): value is NonNullable<Entry['from']> {
  const { url, query } = Object(value) as { url?: unknown; query?: unknown }
  return typeof url === 'string' && /^\/(?![/\\])/.test(url) && typeof query === 'object' && query !== null
}

export function stateOf({ from, options }: Entry): Pick<Entry, 'from' | 'options'> {
  return { ...(from && { from }), ...(options && { options }) }
}

/** The document was loaded for its address, also where the entry showed another page before. */
export function startPlaces(key: string): void {
  if (historyPage().from && historyKey() === key) history.replaceState({ ...history.state, from: undefined }, '')
}
