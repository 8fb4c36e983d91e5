// Loads stylesheets: those of a page that the router brings, and those of code that is loaded at first use (N7).

import { STYLESHEET_TIMEOUT_MS } from '../../../services/shared/wire/constants.ts'

interface Sheet {
  link: HTMLLinkElement
  loaded: Promise<void>
}

/** The media of a sheet that is there and does not apply. */
const NO_MEDIA = 'not all'
const sheets = new Map<string, Sheet>()

/** Resolves when the sheet applies; rejects at its `error` event and after 60 s. To be asked for again after that. */
export function loadStylesheet(href: string): Promise<void> {
  const { link, loaded } = sheetOf(href, '')
  if (link.media === NO_MEDIA) link.media = ''
  return loaded
}

/** Fetches and parses a sheet that does not apply before it is loaded by the function above; resolves when it is there. */
export function prepareStylesheet(href: string): Promise<void> {
  return sheetOf(href, NO_MEDIA).loaded
}

function sheetOf(href: string, media: string): Sheet {
  const known = sheets.get(href)
  if (known) return known
  for (const link of document.querySelectorAll<HTMLLinkElement>('link[rel=stylesheet]'))
    if (link.href === href) return { link, loaded: Promise.resolve() }
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
  await Promise.all(styles.map((name) => loadStylesheet(new URL(name, import.meta.url).href)))
  return load()
}
