// What the bundler calls around each `import()`: the stylesheets of code that is loaded at first use come before it
// (N7). In place of the bundler's own, which is five times as large for browsers that nobody has any more.

const sheets = new Map<string, Promise<void>>()

/** The bundler's name and order of arguments; `styles` are file names beside this script. */
export async function __vitePreload<Module>(load: () => Promise<Module>, styles: string[] = []): Promise<Module> {
  const hrefs = styles.map((name) => new URL(name, import.meta.url).href)
  await Promise.all(hrefs.map(loadSheet))
  return load()
}

function loadSheet(href: string): Promise<void> {
  const known = sheets.get(href)
  if (known) return known
  for (const { href: there } of document.querySelectorAll<HTMLLinkElement>('link[rel=stylesheet]'))
    if (there === href) return Promise.resolve()
  const loaded = new Promise<void>((resolve, reject) => {
    const link = document.createElement('link')
    link.rel = 'stylesheet'
    link.href = href
    link.onload = () => resolve()
    link.onerror = () => {
      link.remove()
      sheets.delete(href)
      reject(new Error(`The stylesheet ${href} cannot be loaded.`))
    }
    document.head.append(link)
  })
  sheets.set(href, loaded)
  return loaded
}
