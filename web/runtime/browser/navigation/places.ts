// Where pages are: every page is at its own address. Sites of Next.js have next/browser/masked-places.ts in place of this
// file, so that other sites do not load its code.

import type { View } from '../view.ts'
import type { Effect, Entry } from './router-model.ts'

/** The part of an entry or a view that says where it is. */
export type Place = Pick<Entry, 'url' | 'from'>

/** The address of the page at a place. */
export function pageOf({ url }: Place): string {
  return url
}

/** The address of a place whose page is that of another one. */
export function addressOf(_place: Place): { address?: string } {
  return {}
}

/** Whether two entries of one address have the same page. */
export function hasSamePage(_one: Place, _other: Place): boolean {
  return true
}

/** A view at the address of an entry. */
export function viewAt(view: View, { url }: Place): View {
  return { ...view, url }
}

/** Fetches the data of a view again. */
export function fetchOf({ url }: Place): Effect {
  return { kind: 'fetch', url }
}

/** The page of the current history entry, where its address is that of another one. */
export function historyPage(): Pick<Entry, 'from'> {
  return {}
}

/** What an entry adds to the state of the browser's history. */
export function stateOf(_entry: Entry): Pick<Entry, 'from' | 'options'> {
  return {}
}

/** Called once, with the key of the document's entry. */
export function startPlaces(_key: string): void {}
