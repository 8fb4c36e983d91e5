// Loads the stylesheets of code that is loaded at first use (N7), and has the addresses of built files. page-styles.ts loads
// the stylesheets of pages.

import { STYLESHEET_TIMEOUT_MS } from '@portico/shared/wire/constants.ts'

/**
 * The address of a hashed file, next to this script: on the host that `assetPrefix` names, if there is one. Under development
 * a name is an address, which begins with a slash.
 */
export function fileAddress(name: string): string {
  return new URL(name, import.meta.url).href
}

export interface Sheet {
  link: HTMLLinkElement
  loaded: Promise<void>
}

/** The `media` of a sheet that does not apply. */
export const NONE = 'not all'

/** The sheets of code that was loaded, by address; undefined for one that the page had in its own place. */
export const lateSheets = new Map<string, Sheet | undefined>()

/** Resolves when the sheet has been loaded. The sheet is requested when its link is in the document. */
export function createSheet(href: string, media: string): Sheet {
  const link = document.createElement('link')
  const loaded = new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => fail(), STYLESHEET_TIMEOUT_MS)
    const fail = () => {
      clearTimeout(timer)
      link.remove()
      reject(new Error(`The stylesheet ${href} cannot be loaded.`))
    }
    link.onload = () => {
      clearTimeout(timer)
      resolve()
    }
    link.onerror = fail
  })
  Object.assign(link, { rel: 'stylesheet', media, href })
  return { link, loaded }
}

function loadLate(href: string): Promise<void> | undefined {
  const known = lateSheets.get(href)
  if (known) return known.loaded
  const links = [...document.querySelectorAll<HTMLLinkElement>('link[rel=stylesheet]')]
  const sheet = links.some((link) => link.href === href && link.media !== NONE) ? undefined : createSheet(href, '')
  lateSheets.set(href, sheet)
  if (!sheet) return undefined
  document.head.append(sheet.link)
  sheet.loaded.catch(() => lateSheets.delete(href))
  return sheet.loaded
}

/**
 * The bundler calls this around each `import()`, in place of its own helper, which is five times as large for the sake
 * of old browsers; name and order of arguments are the bundler's. `styles` are file names next to this script.
 */
export async function __vitePreload<Module>(load: () => Promise<Module>, styles: string[] = []): Promise<Module> {
  await Promise.all(styles.map((name) => loadLate(fileAddress(name))))
  return load()
}
