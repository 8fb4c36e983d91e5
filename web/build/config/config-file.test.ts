import { DEFAULT_IMAGES } from '@portico/shared/wire/default-images.ts'
import { afterEach, describe, expect, it } from 'vitest'
import { BuildError } from '../build-error.ts'
import { loadSiteConfig } from '../load-config.ts'
import { createFolder, removeFolders } from '../testing/folders.ts'
import { parseSiteConfig } from './config.ts'

/** The lines of the error; empty when the config is accepted. */
function faultsOf(config: unknown): string[] {
  try {
    parseSiteConfig(config)
    return []
  } catch (error) {
    expect(error).toBeInstanceOf(BuildError)
    return (error as Error).message.split('\n')
  }
}

const redirect = (rule: object) => ({ redirects: [{ source: '/a', destination: '/b', permanent: true, ...rule }] })
const header = (key: unknown, value: unknown) => ({ headers: [{ source: '/a', headers: [{ key, value }] }] })

describe('faults', () => {
  const table: [field: string, value: string, rule: string, config: unknown][] = [
    ['basePath', '"shop"', 'must be empty, or begin with "/"', { basePath: 'shop' }],
    ['basePath', '"/shop/"', 'must be empty, or begin with "/"', { basePath: '/shop/' }],
    ['basePath', '"//evil.org"', 'must be empty, or begin with "/"', { basePath: '//evil.org' }],
    ['basePath', '"/a b"', 'must be empty, or begin with "/"', { basePath: '/a b' }],
    ['basePath', '7', 'must be empty, or begin with "/"', { basePath: 7 }],
    ['trailingSlash', '"yes"', 'must be true or false', { trailingSlash: 'yes' }],
    ['trailingSlash', 'null', 'must be true or false', { trailingSlash: null }],
    ['trailingslash', 'true', 'is not a setting; did you mean trailingSlash?', { trailingslash: true }],
    ['nonsense', '1', 'is not a setting; known: basePath, trailingSlash', { nonsense: 1 }],
    ['constructor', '1', 'is not a setting', { constructor: 1 }],
    ['i18n.locales', 'undefined', 'must be a list of 1 to 100 locales', { i18n: {} }],
    ['middleware', '1', 'is no field: write middleware.ts next to pages/', { middleware: 1 }],
    ['output', '"standalone"', 'is not supported; every build can be moved', { output: 'standalone' }],
    ['serverExternalPackages', '"sharp"', 'must be a list of strings', { serverExternalPackages: 'sharp' }],
    ['serverExternalPackages', '[1]', 'must be a list of strings', { serverExternalPackages: [1] }],
    ['transpilePackages', '{}', 'must be a list of strings', { transpilePackages: {} }],
    [
      'transpilePackages',
      '"a"',
      'must not name a package that serverExternalPackages names',
      { serverExternalPackages: ['a'], transpilePackages: ['a', 'b'] },
    ],
    ['redirects', '{}', 'must be a list', { redirects: {} }],
    ['rewrites', '"/a"', 'must be a list', { rewrites: '/a' }],
    ['redirects[0]', '"/a"', 'must be an object', { redirects: ['/a'] }],
    ['redirects[0].source', 'undefined', 'must be a path pattern', redirect({ source: undefined })],
    ['redirects[0].source', '"a"', 'must begin with "/"', redirect({ source: 'a' })],
    ['redirects[0].source', '"/a?b=1"', 'must not contain a query', redirect({ source: '/a?b=1' })],
    [
      'redirects[0].destination',
      'undefined',
      'must be a path beginning with one "/"',
      redirect({ destination: undefined }),
    ],
    [
      'redirects[0].destination',
      '"//evil.org"',
      'must be a path beginning with one "/"',
      redirect({ destination: '//evil.org' }),
    ],
    [
      'redirects[0].destination',
      '"/\\\\evil.org"',
      'must be a path beginning with one "/"',
      redirect({ destination: '/\\evil.org' }),
    ],
    [
      'redirects[0].destination',
      '"javascript:alert(1)"',
      'must be a path',
      redirect({ destination: 'javascript:alert(1)' }),
    ],
    [
      'redirects[0].destination',
      '"https://:host/x"',
      'lets ":host" decide whose host it is',
      redirect({ source: '/:host', destination: 'https://:host/x' }),
    ],
    [
      'redirects[0].destination',
      '"https://h.example.:tld/"',
      'lets ":tld" decide whose host it is',
      redirect({ source: '/:tld', destination: 'https://h.example.:tld/' }),
    ],
    [
      'redirects[0].destination',
      '"/b/:id"',
      'uses ":id", which neither source nor has defines',
      redirect({ destination: '/b/:id' }),
    ],
    [
      'redirects[0].destination',
      '"/b?x=:id"',
      'uses ":id", which neither source nor has defines',
      redirect({ destination: '/b?x=:id' }),
    ],
    ['redirects[0].regex', '"a"', 'is not a member of this rule; known: source,', redirect({ regex: 'a' })],
    [
      'redirects[0].has[0].regex',
      '"a"',
      'is not a member of this rule; known: type, key, value',
      redirect({ has: [{ type: 'cookie', key: 'a', regex: 'a' }] }),
    ],
    [
      'rewrites[0].locale',
      '"fr"',
      'must be false, or left out',
      { rewrites: [{ source: '/a', destination: '/b', locale: 'fr' }] },
    ],
    ['headers[0].always', 'true', 'is not a member', { headers: [{ source: '/a', headers: [], always: true }] }],
    ['publicEnv.NAME.secret', 'true', 'is not a member', { publicEnv: { NAME: { type: 'string', secret: true } } }],
    ['redirects[0].has', '{}', 'must be a list of', redirect({ has: {} })],
    ['redirects[0].has', '[{"type":"host"}]', 'must be a list of', redirect({ has: [{ type: 'host' }] })],
    ['redirects[0].has', '[{"type":"cookie"}]', 'must be a list of', redirect({ has: [{ type: 'cookie' }] })],
    [
      'redirects[0].has',
      '[{"type":"ip","key":"a"}]',
      'must be a list of',
      redirect({ has: [{ type: 'ip', key: 'a' }] }),
    ],
    [
      'redirects[0]',
      '{"source":"/a","destination":"/b"}',
      'must have either permanent',
      redirect({ permanent: undefined }),
    ],
    [
      'redirects[0]',
      '{"source":"/a","destination":"/b","permanent":true,"statusCode":301}',
      'must have either permanent',
      redirect({ statusCode: 301 }),
    ],
    [
      'redirects[0]',
      '{"source":"/a","destination":"/b","statusCode":200}',
      'must have either permanent',
      redirect({ permanent: undefined, statusCode: 200 }),
    ],
    [
      'redirects[0]',
      '{"source":"/a","destination":"/b","permanent":"yes"}',
      'must have either permanent',
      redirect({ permanent: 'yes' }),
    ],
    [
      'rewrites[0].destination',
      '"//h.example/"',
      'must be a path beginning with one "/" or an http(s) URL',
      { rewrites: [{ source: '/a', destination: '//h.example/' }] },
    ],
    ['headers[0].headers', 'undefined', 'must be a list of { key, value }', { headers: [{ source: '/a' }] }],
    ['headers[0].headers', '[{"key":"X A","value":"1"}]', 'must be a list of { key, value }', header('X A', '1')],
    [
      'headers[0].headers',
      '[{"key":"X-A","value":"1\\r\\nSet-Cookie: a=b"}]',
      'one line',
      header('X-A', '1\r\nSet-Cookie: a=b'),
    ],
    ['headers[0].headers', '[{"key":"X-A","value":"日本"}]', 'one line of Latin-1 text', header('X-A', '日本')],
    ['headers[0].headers', '[{"key":"X-A","value":1}]', 'must be a list of { key, value }', header('X-A', 1)],
    ['headers[0].headers', '"Portico-Build"', 'is set by Portico', header('Portico-Build', 'x')],
    ['headers[0].headers', '"content-length"', 'is set by Portico', header('content-length', '1')],
    [
      'headers[0].headers[0].always',
      'true',
      'is not a member of this rule; known: key, value',
      { headers: [{ source: '/a', headers: [{ key: 'X-A', value: '1', always: true }] }] },
    ],
    ['inlineEnv', '"yes"', 'must be true or false', { next: true, inlineEnv: 'yes' }],
    ['inlineEnv', 'true', 'is for compatibility mode: set next: true, too', { inlineEnv: true }],
    ['publicEnv', '[]', 'must be an object', { publicEnv: [] }],
    [
      'publicEnv.siteName',
      '"siteName"',
      'must be a name like SITE_NAME',
      { publicEnv: { siteName: { type: 'string' } } },
    ],
    ['publicEnv.A.type', '"text"', 'must be "string", "number"', { publicEnv: { A: { type: 'text' } } }],
    ['publicEnv.A.type', '"string"', 'must be "string", "number"', { publicEnv: { A: 'string' } }],
    ['publicEnv.A.default', '"1"', 'must be a number', { publicEnv: { A: { type: 'number', default: '1' } } }],
    ['publicEnv.A.default', '1', 'must be a string', { publicEnv: { A: { type: 'string', default: 1 } } }],
    ['publicEnv.A.default', '"no"', 'must be a boolean', { publicEnv: { A: { type: 'boolean', default: 'no' } } }],
    ['publicEnv.A.default', '"here"', 'must be a url', { publicEnv: { A: { type: 'url', default: 'here' } } }],
    [
      'publicEnv.A.optional',
      '"yes"',
      'must be true or false',
      { publicEnv: { A: { type: 'string', optional: 'yes' } } },
    ],
    ['env', '"(not shown)"', 'must be an object', { env: 'hush' }],
    ['env.A.type', '"(not shown)"', 'must be "string", "number"', { env: { A: 'hush' } }],
    ['env.A.value', '"(not shown)"', 'is not a member', { env: { A: { type: 'string', value: 'hush' } } }],
    ['env.A.default', '"(not shown)"', 'would be in the build', { env: { A: { type: 'string', default: 'hush' } } }],
    ['env.A.optional', '"(not shown)"', 'must be true or false', { env: { A: { type: 'string', optional: 'hush' } } }],
    [
      'env.A',
      '"A"',
      'is in publicEnv, too, which browsers read',
      { env: { A: { type: 'string' } }, publicEnv: { A: { type: 'string' } } },
    ],
  ]
  it.each(table)('R7 %s = %s: %s', (field, value, rule, config) => {
    const faults = faultsOf(config)
    expect(faults).toHaveLength(1)
    expect(faults[0]).toContain(`portico.config.ts: ${field} = ${value}: `)
    expect(faults[0]).toContain(rule)
  })

  it('R7 one error lists all faults', () => {
    const faults = faultsOf({
      basePath: 'x',
      trailingSlash: 1,
      redirects: [{}, 7],
      images: { qualities: 1, formats: 2 },
    })
    expect(faults.map((line) => line.split(' ')[1])).toEqual([
      'basePath',
      'trailingSlash',
      'redirects[0].source',
      'redirects[1]',
      'images.qualities',
      'images.formats',
    ])
  })

  it.each([null, 7, 'x', []])('R7 %j is not a config', (value) => {
    expect(faultsOf(value)).toEqual(['portico.config.ts: must export an object'])
  })
})

describe('accepted configs', () => {
  it('R7 an empty config has every default', () => {
    expect(parseSiteConfig({})).toEqual({
      basePath: '',
      prerender: 'start',
      sourceMaps: 'hidden',
      trailingSlash: false,
      redirects: [],
      rewrites: [],
      rewriteOrigins: {},
      headers: [],
      csp: { site: { changes: {} }, routes: {} },
      images: DEFAULT_IMAGES,
      publicEnv: {},
      env: {},
      serverExternalPackages: [],
      transpilePackages: [],
      browserStubs: [],
    })
    expect(DEFAULT_IMAGES.qualities).toEqual([50, 60, 75, 85, 95])
  })

  it('R7 rules of every kind', () => {
    const has = [
      { type: 'cookie', key: 'a' },
      { type: 'host', value: 'h.example' },
    ]
    const config = parseSiteConfig({
      basePath: '/shop/eu',
      redirects: [
        { source: '/a/:id', destination: '/b/:id?from=:id', permanent: false, has },
        { source: '/c/:rest*', destination: 'https://h.example:8443/:rest*', statusCode: 301 },
        { source: '/d', destination: 'https://h.example', permanent: true },
      ],
      rewrites: [{ source: '/e/:id', destination: '/places/:id' }],
      headers: [{ source: '/:all*', headers: [{ key: 'X-A', value: 'é; b="1"' }] }],
      publicEnv: { A: { type: 'url', default: 'https://h.example' }, B_2: { type: 'number', optional: true } },
      env: { PAYMENT_KEY: { type: 'string' }, MAIL_URL: { type: 'url', optional: true } },
    })
    expect(config.redirects.map(({ status }) => status)).toEqual([307, 301, 308])
    expect(config.redirects[0]?.has).toEqual(has)
    expect(config.redirects[1]).not.toHaveProperty('has')
    expect(config).toMatchObject({ basePath: '/shop/eu', rewrites: [{ destination: '/places/:id' }] })
  })
})

describe('the config file', () => {
  afterEach(removeFolders)
  const load = async (text: string, others: Record<string, string> = {}) =>
    (await loadSiteConfig(await createFolder({ 'portico.config.ts': text, ...others }))).config

  it('R7 a folder without a config file has every default', async () => {
    expect((await loadSiteConfig('/nowhere')).config).toEqual(parseSiteConfig({}))
  })

  it('R7 may be TypeScript with imports, and may use functions as in the Pages Router', async () => {
    const config = await load(
      `import { defineConfig } from 'portico/config'
       import { base } from './lib/base.ts'
       export default defineConfig({ basePath: base as string, redirects: async () => [{ source: '/a', destination: '/b', permanent: true }], headers: () => [] })`,
      { 'lib/base.ts': "export const base = '/shop'" },
    )
    expect(config).toMatchObject({ basePath: '/shop', redirects: [{ source: '/a', status: 308 }], headers: [] })
    expect((await load('export default async () => ({ trailingSlash: true })')).trailingSlash).toBe(true)
  })

  it.each([
    ['export const a = 1', 'portico.config.ts: must have a default export'],
    ['throw new Error("no network")', 'portico.config.ts: could not be loaded: no network'],
    ["import './gone.ts'\nexport default {}", 'portico.config.ts:1:8: cannot find "./gone.ts"'],
    ['throw null', 'portico.config.ts: could not be loaded: null'],
    ['export default () => { throw new Error("no") }', 'portico.config.ts: could not be loaded: no'],
    ['export default { headers: async () => { throw 7 } }', 'portico.config.ts: could not be loaded: 7'],
    ['export default 7', 'portico.config.ts: must export an object'],
    [
      'export default {\n  redirect: [],\n}',
      'portico.config.ts:2:3: redirect = []: is not a setting; did you mean redirects?',
    ],
    [
      "const first = {\n  source: '/a',\n  destinatoin: '/b',\n}\nexport default { redirects: async () => [\n  first,\n] }",
      'portico.config.ts:3:3: redirects[0].destinatoin = "/b": is not a member of this rule; did you mean destination?',
    ],
  ])('R7 %j is refused: %s', async (text, message) => {
    await expect(load(text)).rejects.toThrow(BuildError)
    await expect(load(text)).rejects.toThrow(message)
  })
})
