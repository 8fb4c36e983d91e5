// Loads stylesheets: those of a page that the router brings, and those of code that is loaded at first use (N7).

import { STYLESHEET_TIMEOUT_MS } from '../../../services/shared/wire/constants.ts'

interface Sheet {
  link: HTMLLinkElement
  loaded: Promise<void>
}

const sheets = new Map<string, Sheet>()

/**
 * Resolves when the sheet is there, applied or, where it is for a page to come, not yet; rejects at its `error` event
 * and after 60 s. To be asked for again after that.
 */
export function loadStylesheet(href: string, isApplied: boolean): Promise<void> {
  const { loaded } = sheetOf(href, isApplied ? '' : 'not all')
  if (isApplied) applyStylesheet(href)
  return loaded
}

/** From now on a sheet applies that was loaded for a page to come. */
export function applyStylesheet(href: string): void {
  const sheet = sheets.get(href)
  if (sheet) sheet.link.media = ''
}

function sheetOf(href: string, media: string): Pick<Sheet, 'loaded'> {
  const known = sheets.get(href)
  if (known) return known
  for (const link of document.querySelectorAll<HTMLLinkElement>('link[rel=stylesheet]'))
    if (link.href === href) return { loaded: Promise.resolve() }
  const link = document.createElement('link')
  const loaded = new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => fail(), STYLESHEET_TIMEOUT_MS)
    const fail = () => {
      clearTimeout(timer)
      link.remove()
      sheets.delete(href)
      reject(new Error(`The stylesheet ${href} cannot be loaded.`))
    }
    link.onload = () => {
      clearTimeout(timer)
      resolve()
    }
    link.onerror = fail
  })
  Object.assign(link, { rel: 'stylesheet', media, href })
  document.head.append(link)
  const sheet = { link, loaded }
  sheets.set(href, sheet)
  return sheet
}

/**
 * What the bundler calls around each `import()`, in place of its own helper, which is five times as large for browsers
 * that nobody has any more. Its name and order of arguments; `styles` are file names beside this script.
 */
export async function __vitePreload<Module>(load: () => Promise<Module>, styles: string[] = []): Promise<Module> {
  await Promise.all(styles.map((name) => loadStylesheet(new URL(name, import.meta.url).href, true)))
  return load()
}
