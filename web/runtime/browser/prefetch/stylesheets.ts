// Loads stylesheets: those of a page that the router loads, and those of code that is loaded at first use (N7).

import { STYLESHEET_TIMEOUT_MS } from '@portico/shared/wire/constants.ts'
import { fileAddress } from './file-address.ts'

interface Sheet {
  link: HTMLLinkElement
  loaded: Promise<void>
}

const sheets = new Map<string, Sheet>()

/**
 * Resolves when the sheet has been loaded; a sheet for a later page does not apply yet. Rejects at its `error` event and
 * after 60 s; a later call then loads the sheet again.
 */
export function loadStylesheet(href: string, isApplied: boolean): Promise<void> {
  const { loaded } = sheetOf(href, isApplied ? '' : 'not all')
  if (isApplied) applyStylesheet(href)
  return loaded
}

/** Applies a sheet that was loaded for a later page. */
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
 * The bundler calls this around each `import()`, in place of its own helper, which is five times as large for the sake
 * of old browsers; name and order of arguments are the bundler's. `styles` are file names next to this script.
 */
export async function __vitePreload<Module>(load: () => Promise<Module>, styles: string[] = []): Promise<Module> {
  await Promise.all(styles.map((name) => loadStylesheet(fileAddress(name), true)))
  return load()
}
