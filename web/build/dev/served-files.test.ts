import type { DevEnvironment } from 'vite'
import { expect, test } from 'vitest'
import { createAddresses, createServedFiles } from './served-files.ts'

const BASE = '/docs/_portico/dev/'

function note(code: string): (key: string) => boolean {
  const { plugin, has } = createAddresses(BASE)
  const { handler } = plugin.transform as unknown as { handler: (code: string) => void }
  handler(code)
  return has
}

test.each([
  [`export default "${BASE}a%20b.svg"`, '/a b.svg'],
  [`const css = "@font-face { src: url(\\"${BASE}fonts/a(1).woff2#iefix\\") }"`, '/fonts/a(1).woff2'],
  [`const css = "a { background: url(${BASE}a.png) }"`, '/a.png'],
  [`new Worker(new URL('${BASE}w.ts?worker_file&type=module', import.meta.url))`, '/w.ts?worker_file&type=module'],
  [`const x = \`${BASE}y.wasm\``, '/y.wasm'],
])('V3 the text of a module names what it addresses: %s', (code, key) => expect(note(code)(key)).toBe(true))

test('V3 the text of a module names nothing else', () => {
  const has = note(`import x from '${BASE}pages/x.tsx'; // ${BASE}site.env\nexport default "/other${BASE}z.svg"`)
  expect(['/site.env', '/z.svg'].map(has)).toEqual([false, false])
})

/** Modules by the keys of those that they import; each is known once its importer was transformed. */
function environmentOf(modules: Record<string, string[]>): DevEnvironment {
  const urlToModuleMap = new Map<string, { importedModules: { url: string }[] }>()
  // Throws, and does not reject, as Vite's does when its server is closed.
  const transformRequest = (key: string) => {
    if (!modules[key]) throw new Error('missing')
    const imported = modules[key].map((url) => ({ url }))
    urlToModuleMap.set(key, { importedModules: imported })
    for (const { url } of imported) if (!urlToModuleMap.has(url)) urlToModuleMap.set(url, { importedModules: [] })
    return Promise.resolve(null)
  }
  // The part of Vite's environment that is used.
  return { moduleGraph: { urlToModuleMap }, transformRequest } as unknown as DevEnvironment
}

test('V3 a module is served once its importer names it, however late the request of an old tab reads them', async () => {
  const appDir = import.meta.dirname
  const client = environmentOf({ entry: ['/served-files.ts', 'missing'], '/served-files.ts': ['/linked-styles.ts'] })
  const files = createServedFiles({
    ...{ client, appDir, base: BASE, addresses: { has: () => false } },
    entries: () => ['entry'],
  })
  const kindOf = async (path: string) => (await files.find(`${BASE}${path}`)).kind
  expect(await kindOf('linked-styles.ts')).toBe('module')
  expect(await kindOf('linked-styles.ts?t=123')).toBe('module')
  for (const path of [
    'linked-styles.ts?raw',
    'linked-styles.ts?import&raw',
    'dev-vite.ts',
    'LINKED-STYLES.ts',
    '@fs/etc/hosts',
    '',
  ])
    expect([path, await kindOf(path)]).toEqual([path, 'unnamed'])
})
