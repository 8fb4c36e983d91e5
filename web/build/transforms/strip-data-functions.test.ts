import { createServer, parseSync } from 'vite'
import { describe, expect, it } from 'vitest'
import { BuildError } from '../build-error.ts'
import { strip } from './strip-data-functions.ts'

function stripped(code: string, path = '/app/pages/page.tsx'): string {
  const result = strip(code, path)
  const text = result ? result.code : code
  const { errors } = parseSync(path, text)
  expect(errors).toEqual([])
  return text.replace(/\s+/g, ' ').trim()
}

const PAGE = 'export default function Page() { return <p>hello</p> }'

describe('data functions', () => {
  it.each([
    ['function declarations', 'export async function getServerSideProps() { return { props: { a: "SECRET" } } }'],
    ['arrow functions', 'export const getStaticProps = async () => ({ props: { a: "SECRET" } })'],
    [
      'typed constants',
      'export const getStaticProps: GetStaticProps<{ a: string }> = () => ({ props: { a: "SECRET" } })',
    ],
    ['both static ones', 'export const getStaticProps = () => "SECRET", getStaticPaths = () => "SECRET"'],
    ['let and var', 'export let getStaticProps = () => "SECRET"; export var getStaticPaths = () => "SECRET"'],
    [
      'a local function exported by name',
      'async function getServerSideProps() { return "SECRET" }\nexport { getServerSideProps }',
    ],
    [
      'a local function exported under the name',
      'async function load() { return "SECRET" }\nexport { load as getServerSideProps }',
    ],
    ['a string as the exported name', 'const load = () => "SECRET"\nexport { load as "getServerSideProps" }'],
    ['a re-export', 'export { getServerSideProps } from "../SECRET"'],
    ['a renamed re-export', 'export { load as getServerSideProps } from "../SECRET"'],
    ['an imported one exported by name', 'import { load } from "../SECRET"\nexport { load as getServerSideProps }'],
    ['a destructured one', 'import { make } from "../SECRET"\nexport const { getServerSideProps } = make()'],
    [
      'a renamed destructured one',
      'import { make } from "../SECRET"\nexport const { load: getServerSideProps } = make()',
    ],
    ['one out of a list', 'import { make } from "../SECRET"\nexport const [getStaticProps, getStaticPaths] = make()'],
    [
      'a wrapped one',
      'import { withUser } from "../SECRET"\nexport const getServerSideProps = withUser(async () => ({}))',
    ],
    ['one next to another constant', 'export const getStaticProps = () => "SECRET", other = 1'],
  ])('D1 %s are removed', (_what, code) => {
    for (const text of [stripped(`${code}\n${PAGE}`), stripped(`${PAGE}\n${code}`)]) {
      expect(text).not.toContain('SECRET')
      expect(text).toContain('<p>hello</p>')
    }
  })

  it('D1 other exports of the same statement are kept', () => {
    expect(stripped(`export const a = 1, getStaticProps = () => 2, b = 3\n${PAGE}`)).toContain(
      'export const a = 1, b = 3',
    )
    expect(stripped(`const a = 1, getStaticProps = 2\nexport { a, getStaticProps, a as c }\n${PAGE}`)).toBe(
      `const a = 1 export { a, a as c } ${PAGE}`,
    )
    expect(stripped(`export { a, getStaticProps, b as c } from '../x'\n${PAGE}`)).toContain(
      "export { a, b as c } from '../x'",
    )
  })

  it('D1 a page without data functions is unchanged', () => {
    expect(strip(`import fs from 'node:fs'\n${PAGE}`, '/app/pages/page.tsx')).toBeUndefined()
    expect(strip(`// getServerSideProps is not used\n${PAGE}`, '/app/pages/page.tsx')).toBeUndefined()
    expect(strip(`const text = 'getStaticProps'\n${PAGE}`, '/app/pages/page.tsx')).toBeUndefined()
  })

  it.each([
    ["export * from '../data'", '"export *" could hide'],
    ["export * as data from '../data'", '"export *" could hide'],
    ['export const { getServerSideProps, helper } = make()', 'must not share a pattern'],
    ["export async function getServerSideProps() { return 'SECRET' }\ngetServerSideProps.label = 1", 'may not use'],
  ])('D1 %s is refused', (code, message) => {
    expect(() => strip(`${code}\n${PAGE}`, '/app/pages/page.tsx')).toThrow(BuildError)
    expect(() => strip(`${code}\n${PAGE}`, '/app/pages/page.tsx')).toThrow(message)
  })

  it('D1 a type-only "export *" is allowed', () => {
    expect(strip(`export type * from '../data'\n${PAGE}`, '/app/pages/page.tsx')).toBeUndefined()
  })
})

describe('code that data functions use', () => {
  const DATA = (use: string) => `export async function getServerSideProps() { return { props: { x: ${use} } } }`

  it.each([
    ["import fs from 'node:fs'", 'fs.readFileSync("a")'],
    ["import * as fs from 'node:fs'", 'fs.readFileSync("a")'],
    ["import { readFileSync } from 'node:fs'", 'readFileSync("a")'],
    ["import { readFileSync as read } from 'node:fs'", 'read("a")'],
    ["import fs, { readFileSync } from 'node:fs'", 'fs ?? readFileSync("a")'],
    ["import { type Stats, readFileSync } from 'node:fs'", 'readFileSync("a") as Stats'],
    ["import data from 'node:fs' with { type: 'json' }", 'data'],
  ])('D1 %s is removed', (code, use) => {
    expect(stripped(`${code}\n${DATA(use)}\n${PAGE}`)).toBe(PAGE)
  })

  it('D1 helpers of helpers are removed, in any order', () => {
    const code = `
      ${DATA('first()')}
      ${PAGE}
      function first() { return second(KEY) }
      const second = (key: string) => new Store(key)
      class Store { constructor(key: string) { connect(key) } }
      enum Level { Low }
      const KEY = process.env.SECRET_KEY
      const { connect, level = Level.Low } = require_('node:net')
      import { createRequire } from 'node:module'
      const require_ = createRequire(import.meta.url)`
    expect(stripped(code)).toBe(PAGE)
  })

  it('D1 an import keeps only the names that the page uses', () => {
    const text = stripped(`
      import React, { useState, cache } from 'react'
      import * as all from '../all'
      import { format, secret as hidden } from '../lib'
      import data from '../data.json' with { type: 'json' }
      ${DATA('cache(hidden, format, all, data, React)')}
      export default function Page() { useState(); return <all.Box>{format(data)}</all.Box> }`)
    expect(text).toContain("import { useState } from 'react'")
    expect(text).toContain("import * as all from '../all'")
    expect(text).toContain("import { format } from '../lib'")
    expect(text).toContain("import data from '../data.json' with { type: 'json' }")
  })

  it('D1 one declarator is removed and its neighbour is kept', () => {
    const text = stripped(`
      const key = process.env.SECRET, title = 'Hello', other = key
      ${DATA('key + title + other')}
      export default function Page() { return <h1>{title}</h1> }`)
    expect(text).toContain("const title = 'Hello'")
    expect(text).not.toContain('SECRET')
  })

  it.each([
    ['a component', '<db.View />'],
    ['an attribute value', '<p title={db} />'],
    ['a spread', '<p {...db} />'],
    ['a closure', '<p onClick={() => db()} />'],
    ['an expression', '<p>{1 + db}</p>'],
    ['a shorthand', '<p style={{ db }} />'],
    ['a computed key', '<p style={{ [db]: 1 }} />'],
    ['a default of a parameter', '<p ref={(a = db) => a} />'],
    ['a value after a cast', '<p>{(db as string)!}</p>'],
  ])('D1 a name that the page uses in %s is kept', (_what, jsx) => {
    const text = stripped(`import { db } from '../db'\n${DATA('db')}\nexport default () => ${jsx}`)
    expect(text).toContain("import { db } from '../db'")
  })

  it.each([
    ['a parameter', 'export default function Page({ db }) { return <p>{db}</p> }'],
    ['a nested parameter', 'export default ({ a: [{ db = 1 }] }) => <p>{db}</p>'],
    ['a local constant', 'export default () => { const db = 1; return <p>{db}</p> }'],
    ['a var of a block', 'export default () => { if (1) { var db = 1 } return <p>{db}</p> }'],
    ['a local function', 'export default () => { return db(); function db() {} }'],
    ['a loop', 'export default () => { for (const db of []) use(db); return null }'],
    ['a caught error', 'export default () => { try {} catch (db) { return <p>{db}</p> } return null }'],
    ['the name of an expression', 'export default memo(function db() { return <p>{db.name}</p> })'],
    ['a property', 'export default (props) => <p>{props.db}</p>'],
    ['an attribute', 'export default () => <Box db="1" />'],
    ['a key', 'export default () => <p style={{ db: 1 }} />'],
    ['a member of a class', 'export default class extends Component { db = 1; render() { return this.db } }'],
    ['a type', 'export default (props: { a: typeof db }) => <p>{props.a}</p>'],
    ['a type of its own', 'type Rows = ReturnType<typeof db.list>\nexport default (props: Rows) => <p>{props.a}</p>'],
  ])('D1 a name that is only %s of the page is removed', (_what, page) => {
    const code = `import { db } from '../SECRET'\nconst connected = db.connect('SECRET')\n${DATA('db, connected')}\n${page}`
    expect(stripped(code)).not.toContain('SECRET')
  })

  it('D1 styles and other imports without names are kept', () => {
    const text = stripped(`import './page.css'\nimport '../polyfill'\n${DATA('1')}\n${PAGE}`)
    expect(text).toBe(`import './page.css' import '../polyfill' ${PAGE}`)
  })

  it('D1 unused code is left to the bundler, and exported helpers are kept', () => {
    const text = stripped(
      `export const config = { a: 1 }\nexport function used() { return helper() }\nfunction helper() {}\n${DATA('helper()')}\n${PAGE}`,
    )
    expect(text).toContain('export const config')
    expect(text).toContain('function helper() {}')
  })
})

describe('in a bundle', () => {
  it('D1 only page files of the browser are changed', async () => {
    const { stripDataFunctions } = await import('./strip-data-functions.ts')
    const code = `export const getStaticProps = () => 1\nexport default 2`
    const server = await createServer({
      configFile: false,
      logLevel: 'silent',
      server: { middlewareMode: true, hmr: false, watch: null, ws: false },
      plugins: [
        stripDataFunctions((id) => id.includes('virtual-page')),
        { name: 'files', resolveId: (id) => id, load: (id) => (id.startsWith('virtual-') ? code : null) },
      ],
    })
    try {
      const transformed = async (environment: 'client' | 'ssr', id: string) =>
        (await server.environments[environment].transformRequest(id))?.code
      expect(await transformed('client', 'virtual-page.ts')).not.toContain('getStaticProps')
      expect(await transformed('client', 'virtual-lib.ts')).toContain('getStaticProps')
      expect(await transformed('ssr', 'virtual-page.ts')).toContain('getStaticProps')
    } finally {
      await server.close()
    }
  })
})
