// The names of Next.js in a build: which file each one is, what is refused, and what packages get.

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { BundleSources } from '../../../bundle-sources/bundle-sources.ts'
import { runtimeModule } from '../../../framework-files.ts'
import { createFolder, removeFolders } from '../../../testing/folders.ts'
import { NEXT_NAMES, nextFile } from '../../modules/next-modules.ts'
import { moduleNames } from './module-names.ts'

let dir: string
beforeAll(async () => {
  dir = await createFolder({
    'pages/a.tsx': "import { expirePath } from 'next/cache'\nimport x from 'next/dist/server/x'\n",
    '.portico/vite/deps/auth.js': "import { headers } from 'next/headers'\n",
    'node_modules/auth/index.js':
      "import { headers, cookies as jar } from 'next/headers.js'\nexport { after } from 'next/headers.js'\n",
  })
})
afterAll(removeFolders)

const names = (isOn = true) => {
  const next = { on: isOn, runtimeConfig: { public: { a: 1 }, server: { secret: 2 } } }
  // The casts: the plugin reads these members of the sources and of the bundler's context only.
  const [plugin] = moduleNames.plugins(dir, () => ({ next }) as unknown as BundleSources)
  const { resolveId, load, transform } = plugin!
  const call = (hook: unknown, consumer: string, ...given: unknown[]) =>
    (hook as (...given: unknown[]) => unknown).call(
      { resolve: async () => null, environment: { config: { consumer } } },
      ...given,
    )
  return {
    resolve: async (source: string, importer = 'pages/a.tsx') =>
      call(resolveId, 'client', source, join(dir, importer), {}),
    load: (id: string, consumer = 'client') => call(load, consumer, id),
    transform: (code: string, id: string) => call(transform, 'client', code, id),
  }
}

describe('X1 the names of Next.js', () => {
  test.each(NEXT_NAMES)('%s is a file, with .js too', async (name) => {
    const file = nextFile(name) ?? ''
    expect(existsSync(file), file).toBe(true)
    expect(nextFile(`${name}.js`)).toBe(file)
    expect(await names().resolve(name)).toBe(file)
    expect(await names().resolve(name, 'node_modules/auth/index.js')).toBe(file)
  })

  test('inner modules that libraries import are those of the public names', () => {
    expect(nextFile('next/dist/client/router')).toBe(nextFile('next/router'))
    expect(nextFile('next/dist/shared/lib/head.js')).toBe(nextFile('next/head'))
    expect(nextFile('next/dist/shared/lib/router-context.shared-runtime')).toMatch(/next\/contexts\.ts$/)
    for (const name of ['next/constructor', 'nextjs', 'next/link/x', 'next/cache'])
      expect(nextFile(name)).toBeUndefined()
  })

  test('nothing is resolved in other sites', async () => {
    for (const name of ['next/link', 'next/server']) expect(await names(false).resolve(name)).toBeUndefined()
  })

  test.each([
    ['next/cache', 'pages/a.tsx:1:28: "next/cache" is not part of Portico; use revalidatePath and revalidateTag'],
    ['next/dist/server/x', 'pages/a.tsx:2:15: "next/dist/server/x" is not part of Portico; use a public module'],
    ['next/headers', '"next/headers" is not part of Portico; use cookies and headers of portico/server'],
    ['next/amp', '"next/amp" is not part of Portico; use an ordinary page: AMP is not supported'],
  ])('%s is refused in a file of the site', async (name, message) => {
    await expect(names().resolve(name)).rejects.toThrow(message)
  })

  test('a package loads without a module that Portico does not have, and fails when it uses the module', async () => {
    const plugin = names()
    const found = (await plugin.resolve('next/headers.js', 'node_modules/auth/index.js')) as { id: string }
    const code = String(plugin.load(found.id))
    const module = (await import(`data:text/javascript,${encodeURIComponent(code)}`)) as Record<string, () => void>
    expect(Object.keys(module).sort()).toEqual(['after', 'cookies', 'default', 'headers'])
    expect(() => module.headers?.()).toThrow('"next/headers.js" is not part of Portico; auth/index.js uses it')
  })

  test('under development the packages that are bundled in advance keep their imports, which are those of a package', async () => {
    const [plugin] = moduleNames.ofPackages()
    const { resolveId, load } = plugin!
    const { handler } = resolveId as { handler: (source: string, importer: string, how: { kind: string }) => unknown }
    expect(handler('next/link', '', { kind: 'import-statement' })).toEqual({ id: 'next/link', external: true })
    // A browser has no require.
    const required = handler('next/link', '', { kind: 'require-call' }) as { id: string }
    const { code } = (load as { handler: (id: string) => { code: string } }).handler(required.id)
    expect(code).toMatch(/^import \* as \w+ from "next\/link"\nmodule\.exports = /)
    const importer = '.portico/vite/deps/auth.js'
    expect(await names().resolve('next/link', importer)).toBe(nextFile('next/link'))
    expect(await names().resolve('next/headers', importer)).toMatchObject({ moduleSideEffects: false })
  })

  test('the values of next/config for the server are in no module of the browser', async () => {
    const id = '\0virtual:portico/next-config'
    expect(names().load(id)).toBe(
      'export const runtimeConfig = {"publicRuntimeConfig":{"a":1},"serverRuntimeConfig":{}}',
    )
    expect(names().load(id, 'server')).toContain('"serverRuntimeConfig":{"secret":2}')
  })

  test('the start of the browser side selects #__next and #__NEXT_DATA__; a start without its elements is an error', () => {
    const start = runtimeModule('browser/boot/start-page.tsx')
    const read = 'JSON.parse(document.getElementById(PAGE_DATA_ELEMENT_ID)!.textContent!) as HydrationData'
    const code = `const data = ${read}\nhydrateRoot(document.getElementById('portico')!, root)`
    expect(names().transform(code, start)).toMatchObject({
      code: `import { readNextData } from ${JSON.stringify(runtimeModule('next/page-data.ts'))}
const data = readNextData() as HydrationData
hydrateRoot(document.getElementById('__next')!, root)`,
    })
    expect(names(false).transform(code, start)).toBeUndefined()
    expect(names().transform(code, join(dir, 'browser/boot/start-page.tsx'))).toBeUndefined()
    for (const other of ['hydrateRoot()', read, code.replace('textContent', 'innerHTML')])
      expect(() => names().transform(other, start)).toThrow('start-page')
  })
})
