// What the build refuses in the `config` of handlers and pages.

import { describe, expect, it, test } from 'vitest'
import { BuildError } from '../build-error.ts'
import { otherMode } from '../testing/other-mode.ts'
import { checkApiConfig, ignoredMembers, readPageConfig } from './route-config.ts'

const API = 'pages/api/pay.ts'
const PAGE = 'pages/shop.tsx'
const LITERAL = 'must be an object literal in this file'

describe('the config of a handler at build', () => {
  test.each([
    ["export const config = { api: { bodyParser: false, responseLimit: '8mb', externalResolver: true } }"],
    [
      "export const config: ApiConfig = { bodyLimitBytes: 2 * 1024, timeoutMs: LIMIT }\nimport { LIMIT } from './limit.ts'",
    ],
    ["const config = { api: { bodyParser: { sizeLimit: '1mb' } } } as const\nexport { config }"],
    ['const own = { crossOrigin: true } satisfies ApiConfig\nexport { own as config }'],
    ["const api = { bodyParser: false }\nexport const config = { api, 'timeoutMs': 1 }"],
    ['// export const config = { a: 1 }\nconst config = { a: 1 }\nexport default () => config'],
    ['export type config = { a: 1 }'],
  ])('A8 accepts %j', (code) => {
    expect(() => checkApiConfig(code, API)).not.toThrow()
  })

  test.each([
    [
      "export const config = { runtime: 'edge', api: { bodyParser: { sizeLimit: 'big' } }, timeout: wait() }",
      'config.runtime = "edge": is not supported: every handler runs in Node; remove the member',
      'config.timeout: is not a member; known: bodyLimitBytes, bodyParser, crossOrigin, timeoutMs, api',
      'config.api.bodyParser.sizeLimit = "big": must be a number of bytes, or a text such as "500kb" or "1mb"',
    ],
    [
      'const api = { bodySize: 1 }\nexport const config = { api } as const',
      'config.api.bodySize = 1: is not a member; known: bodyParser, responseLimit, externalResolver',
    ],
    ["export { config } from './other.ts'", `config: ${LITERAL}; rename your own export`],
    ['export const config = createConfig()', `config: ${LITERAL}; rename your own export`],
    ['export const { config } = all', `config: ${LITERAL}; rename your own export`],
    ['export const config = { ...base, timeoutMs: 1 }', `config: ${LITERAL}, with its members written out`],
    ["export const config = { ['a' + 1]: 1 }", `config: ${LITERAL}, with its members written out`],
    ["import { api } from './other.ts'\nexport const config = { api }", `config.api: ${LITERAL}`],
    [
      'const api = { more: api }\nexport const config = { api }',
      'config.api.more = {"more":{}}: is not a member; known: bodyParser, responseLimit, externalResolver',
    ],
  ])('A8 F2 refuses %j with file, member, rule and remedy', (code, ...faults) => {
    expect(() => checkApiConfig(code, API)).toThrow(new BuildError(faults.map((fault) => `${API}: ${fault}`)))
  })
})

describe('the config of a page at build', () => {
  test.each([['const config = { a: 1 }'], ['export const config = {}'], ['export const siteConfig = { a: 1 }']])(
    'F2 accepts %j',
    (code) => {
      expect(() => readPageConfig(code, PAGE)).not.toThrow()
    },
  )

  test.each([
    [
      'export const config = { amp: true, api: { bodyParser: false }, other: 1 }',
      'config.amp = true: is not supported; remove the member',
      'config.api = {"bodyParser":false}: belongs to handlers in pages/api; remove the member',
      'config.other = 1: is not a member; rename your own export',
    ],
    ['export function config() {}', `config: ${LITERAL}; rename your own export`],
  ])('F2 refuses %j', (code, ...faults) => {
    expect(() => readPageConfig(code, PAGE)).toThrow(new BuildError(faults.map((fault) => `${PAGE}: ${fault}`)))
  })
})

describe('the config in compatibility mode', () => {
  it('X4 members for hosts of Next.js are accepted, and listed for the report', () => {
    const code = "export const config = { runtime: 'edge', regions: ['a'] }\nexport const maxDuration = 5"
    expect(() => readPageConfig(code, PAGE, otherMode())).not.toThrow()
    expect(() => checkApiConfig(code, API, { apiConfig: true })).not.toThrow()
    const page = 'export const config = { amp: true, other: true }'
    expect(() => readPageConfig(page, PAGE, otherMode())).toThrow(`${PAGE}: config.other = true`)
    expect(ignoredMembers(page, PAGE).map(({ field }) => field)).toEqual(['config.amp'])
    expect(ignoredMembers(code, PAGE).map(({ field }) => field)).toEqual([
      'config.runtime',
      'config.regions',
      'export maxDuration',
    ])
  })

  it('X7 A4 a page with getServerSideProps may take forms of other sites', () => {
    const config = (value: string) => `export const config = { crossOrigin: ${value} }\n`
    const data = 'export const getServerSideProps = () => ({ props: {} })'
    expect(readPageConfig(config('true') + data, PAGE, otherMode())).toEqual({ crossOrigin: true })
    expect(readPageConfig(config('false') + data, PAGE, otherMode())).toEqual({})
    expect(() => readPageConfig(config('1') + data, PAGE, otherMode())).toThrow(
      'config.crossOrigin = 1: must be true or false',
    )
    expect(() => readPageConfig(config('true'), PAGE, otherMode())).toThrow('has no effect without getServerSideProps')
    expect(() => readPageConfig(config('true') + data, PAGE)).toThrow('config.crossOrigin = true: is not a member')
  })
})
