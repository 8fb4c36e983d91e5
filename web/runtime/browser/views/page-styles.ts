// Loads and applies the stylesheets of pages (N7). Those that apply are those of the page's document, in its order: of every
// page, of the shown page, of code that was loaded at first use.

import type { RouteFiles } from '@portico/shared/wire/page-data.ts'
import { devHost } from '../hosts.ts'
import { createSheet, fileAddress, lateSheets, NONE } from '../stylesheets.ts'

interface PageStyles {
  links: HTMLLinkElement[]
  loaded: Promise<unknown>
}

/** By the list of addresses. A sheet of two pages has two links: its place is another one in each. */
const pages = new Map<string, PageStyles>()
/** Addresses of the shown page's sheets. */
let shown: readonly string[] = []

const OF_DOCUMENT = 'link[data-portico]'

/** What a view names its stylesheets by: addresses; under development the page, whose sheets only the server knows. */
export function stylesOf({ module, styles }: RouteFiles): readonly string[] {
  if (process.env.NODE_ENV === 'production' || !devHost.styles) return styles.map(fileAddress)
  return module === '' ? [] : [module]
}

/** Notes the sheets of the document's page. */
export function startStyles(hrefs: readonly string[]): void {
  shown = hrefs
  if (process.env.NODE_ENV !== 'production') devHost.styles?.start(hrefs)
  const links = [...document.querySelectorAll<HTMLLinkElement>(OF_DOCUMENT)].filter(({ href }) => hrefs.includes(href))
  pages.set(String(hrefs), { links, loaded: Promise.resolve() })
}

/**
 * Resolves when the sheets of a page have been loaded; they apply with `applyStyles`. Rejects at the `error` event of one and
 * after 60 s; a later call then loads them again.
 */
export function loadStyles(hrefs: readonly string[]): Promise<unknown> {
  if (process.env.NODE_ENV !== 'production' && devHost.styles) return devHost.styles.load(hrefs)
  const key = String(hrefs)
  const known = pages.get(key)
  if (known) return Promise.all([known.loaded, keepLate()])
  const sheets = hrefs.map((href) => createSheet(href, NONE))
  const links = sheets.map(({ link }) => link)
  const loaded = Promise.all(sheets.map((sheet) => sheet.loaded)).catch((error: unknown) => {
    pages.delete(key)
    for (const link of links) link.remove()
    throw error
  })
  pages.set(key, { links, loaded })
  const last = [...document.querySelectorAll(OF_DOCUMENT)].at(-1)
  if (last) last.after(...links)
  else document.head.prepend(...links)
  return Promise.all([loaded, keepLate()])
}

/** Loads the sheets that code shares with the shown page, and keeps when the page is left. */
function keepLate(): Promise<unknown> {
  const shared = [...lateSheets].filter(([href, sheet]) => !sheet && shown.includes(href))
  const sheets = shared.map(([href]) => {
    const sheet = createSheet(href, NONE)
    lateSheets.set(href, sheet)
    document.head.append(sheet.link)
    return sheet.loaded.catch((error: unknown) => {
      lateSheets.set(href, undefined)
      throw error
    })
  })
  return Promise.all(sheets)
}

/** Applies the sheets of a page, which have been loaded, instead of those of the page before. */
export function applyStyles(hrefs: readonly string[]): void {
  shown = hrefs
  if (process.env.NODE_ENV !== 'production') devHost.styles?.apply(hrefs)
  const own = pages.get(String(hrefs))
  for (const page of pages.values()) for (const link of page.links) setApplied(link, page === own)
  // The page has them in their place.
  for (const [href, sheet] of lateSheets) if (sheet) setApplied(sheet.link, !hrefs.includes(href))
}

export function appliedStyles(): readonly string[] {
  return shown
}

function setApplied(link: HTMLLinkElement, isApplied: boolean): void {
  const media = isApplied ? '' : NONE
  if (link.media !== media) link.media = media
}
