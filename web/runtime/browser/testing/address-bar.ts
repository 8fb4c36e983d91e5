// A location and a history that record what is written, for tests of the router without a browser.

import { vi } from 'vitest'

/** Stubs the two globals at an address; `note` is called with what is written to them. */
export function stubAddressBar(at: string, note: (text: string) => void): void {
  const followed = (how: string) => (url: string) => note(`${how} ${url}`)
  vi.stubGlobal('location', { origin: 'http://site.example', assign: followed('assign'), replace: followed('swap') })
  goTo(at)
  const write = (how: string) => (state: object, _title: string, url?: string) => {
    Object.assign(history, { state })
    // Without an address only the state of the entry changes.
    if (!url) return
    note(`${how} ${url}`)
    goTo(url)
  }
  vi.stubGlobal('history', { state: null, pushState: write('push'), replaceState: write('replace') })
}

/** Moves the stubbed location, as a browser does at a step through history. */
export function goTo(url: string): void {
  const target = new URL(url, 'http://site.example')
  Object.assign(location, { href: target.href, pathname: target.pathname, search: target.search, hash: target.hash })
}
