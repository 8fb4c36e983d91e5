import { describe, expect, test } from 'vitest'
import { parseModule } from '../source/syntax.ts'
import { asEsModule, contextFaults, namesOfModule } from '../testing.ts'

type Options = Partial<Parameters<typeof asEsModule>[2]>

const changed = (code: string, options: Options = {}) =>
  asEsModule(code, parseModule(code, 'a.js'), {
    ...{
      isDefaultRequired: (name: string) => name === 'next/link',
      isRoute: false,
      isWrapped: true,
      isDev: true,
      isImported: () => true,
    },
    ...options,
  })?.code

/** The exports of a module of CommonJS, with what it requires. */
async function run(code: string, required: Record<string, unknown> = {}, options: Options = {}) {
  const text = changed(code, options) ?? code
  const imports = [...text.matchAll(/^import \* as (\w+) from (.+)$/gm)].map(([, name = '', from = '']) => [name, from])
  const body = text.replace(/^import .*$/gm, '')
  const given = imports.map(([name, from]) => `const ${name} = globalThis.required[${from}]`).join('; ')
  Object.assign(globalThis, { required })
  const url = `data:text/javascript,${encodeURIComponent(`${given}\n${body}`)}`
  return (await import(/* @vite-ignore */ url)) as Record<string, unknown>
}

describe('F1 a CommonJS module of a site as an ES module', () => {
  test('F1 exports its names, and all of it for those that require it', async () => {
    const module = await run("exports.a = 1\nmodule.exports.b = 2\nexports['c-d'] = 3")
    expect(module).toMatchObject({ a: 1, b: 2, 'c-d': 3, default: { a: 1, b: 2 }, 'module.exports': { a: 1, b: 2 } })
    expect(await run('const own = { a: 1 }\nmodule.exports = own')).toMatchObject({ a: 1 })
  })

  test('F1 has the default that bundlers give, and for a page that of Next.js', async () => {
    const compiled = 'exports.__esModule = true; exports.default = 1'
    expect((await run(compiled)).default).toBe(1)
    expect((await run('exports.default = 1')).default).toEqual({ default: 1 })
    expect((await run('exports.default = 1', {}, { isRoute: true })).default).toBe(1)
    expect((await run('module.exports = () => 1', {}, { isRoute: true })).default).toBeTypeOf('function')
  })

  test('F1 requires modules of either kind, packages as Vite gives them, and data', async () => {
    const esModule = Object.assign(Object.create(null), { default: 1, a: 2, [Symbol.toStringTag]: 'Module' })
    const given = {
      './es': esModule,
      './common': { default: 1, 'module.exports': 'all' },
      package: { a: 1, default: 'of the package' },
      './a.json': { default: [1], [Symbol.toStringTag]: 'Module' },
    }
    const code = "module.exports = [require('./es'), require('./common'), require('package'), require('./a.json')]"
    expect((await run(code, given)).default).toEqual([esModule, 'all', 'of the package', [1]])
  })

  test('X1 a required module of Next.js is its component, with the names of the module', async () => {
    const Link = () => null
    const code = "module.exports = require('next/link')"
    const { default: required } = await run(code, { 'next/link': { default: Link, useLinkStatus: 1 } })
    expect(required).toBe(Link)
    expect({ ...(required as object) }).toEqual({ default: Link, useLinkStatus: 1 })
  })
})

test('F1 lines and directives of a module stay where they are', () => {
  const code = "'use client'\nconst a = require('./a')\nmodule.exports = a"
  const [first, second] = changed(code)?.split('\n') ?? []
  expect(first).toBe("'use client'")
  expect(second).toMatch(/const a = __portico_required\(__portico_import0\)$/)
})

test.each([
  ['an ES module without require', 'export default 1'],
  ['a name of its own', 'const require = (a) => a\nexport default require("a")'],
  ['a name of a function', 'export const f = (module, exports) => (module.exports = exports)'],
  ['a script', 'globalThis.a = 1'],
])('F1 leaves %s as it is', (_what, code) => {
  expect(changed(code)).toBeUndefined()
})

test('F1 knows which calls are behind a test of typeof window', () => {
  const code = "const a = require('a')\nconst b = typeof window === 'undefined' ? require('b') : require('c')"
  const guarded: [string, boolean][] = []
  changed(code, {
    isImported({ specifier, isGuarded }) {
      guarded.push([specifier, isGuarded])
      return false
    },
  })
  expect(guarded).toEqual([
    ['a', false],
    ['b', true],
    ['c', true],
  ])
})

test.each([
  ['exports.a = 1; module.exports.b = exports.c = 2', ['a', 'b', 'c']],
  ['module.exports = function Page() {}', ['default']],
  ['const all = { a, default: Page }; module.exports = all', ['a', 'default']],
  ['export const a = 1', ['a']],
])('F1 reads the names of %s', (code, names) => {
  expect([...namesOfModule(parseModule(code, 'a.js'))]).toEqual(names)
})

test('F2 names each require.context, with what takes its place', () => {
  const code = "const a = 1\nexport const b = require.context('../posts/', true, /\\.mdx$/)"
  expect(contextFaults(parseModule(code, 'a.js'), code, 'lib/a.js').map(({ message }) => message)).toEqual([
    'lib/a.js:2:18: require.context is a function of webpack; write import.meta.glob("../posts/*", { eager: true }), an object of modules by path',
  ])
})
