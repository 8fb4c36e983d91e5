// The pages of the gateway's benchmarks: their text, and an app folder with routes of each kind.

/** Markup that repeats around words that do not, as a page of cards has them. */
export function pageText(bytes: number): string {
  let text = '<!DOCTYPE html>'
  for (let at = 0; text.length < bytes; at++)
    text += `<article class="card"><a href="/places/${(at * 7919).toString(36)}"><h2>${((at * 2_654_435_761) % 2 ** 32).toString(36)}</h2></a></article>\n`
  return text.slice(0, bytes)
}

export const PAGE_BYTES = 12 * 1024
export const LARGE_PAGE_BYTES = 60 * 1024

const files = { module: '', imports: [], styles: [] }

/** `/kept…` is the same for all clients, `/made…` is made for each request. */
export const PAGES = [
  { pattern: '/kept', file: '', data: 'none' as const, files },
  { pattern: '/kept/[id]', file: '', data: 'static' as const, files },
  { pattern: '/made', file: '', data: 'server' as const, files },
  { pattern: '/made/large', file: '', data: 'server' as const, files },
]
