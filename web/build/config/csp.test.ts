import { readPolicies } from '@portico/shared/kit/config/policies.ts'
import type { Manifest, PageEntry } from '@portico/shared/wire/build-output.ts'
import { policyHeader } from '@portico/shared/wire/policy/content-security-policy.ts'
import { describe, expect, it } from 'vitest'
import { BuildError } from '../build-error.ts'
import { browserManifestOf } from '../manifest/manifest.ts'
import { parseSiteConfig } from './config.ts'
import { createCspTable } from './csp.ts'

const DATA: Readonly<Record<string, PageEntry['data']>> = { '/checkout': 'server', '/orders/[id]': 'server' }
const PAGES = ['/', '/about', '/checkout', '/orders/[id]', '/shop/[...path]', '/shop/cart', '/shop/[...path]/x'].map(
  (pattern) => ({ pattern, file: `pages${pattern}.tsx`, data: DATA[pattern] ?? ('none' as const) }),
)
const PUBLIC_ENV = {
  API_URL: { type: 'url', optional: true },
  WIDGET: { type: 'string', default: '' },
  COUNT: { type: 'number' },
}

function tableOf(csp: unknown, pages = PAGES) {
  return createCspTable(parseSiteConfig({ csp, publicEnv: PUBLIC_ENV }).csp, pages, 'portico.config.ts')
}

/** The directives of a route by name, as text. */
function policyOf(csp: unknown, route = '/', values = {}): Record<string, string> & { header?: string } {
  const policy = readPolicies(tableOf(csp), values).of(route)
  if (!policy) return {}
  const { name, value } = policyHeader(policy)
  const directives = value.split('; ').map((directive): [string, string] => {
    const at = `${directive} `.indexOf(' ')
    return [directive.slice(0, at), directive.slice(at + 1)]
  })
  return { ...Object.fromEntries(directives), header: name }
}

function faultOf(csp: unknown): string {
  try {
    tableOf(csp)
    return ''
  } catch (error) {
    expect(error).toBeInstanceOf(BuildError)
    return (error as Error).message
  }
}

const directives = (name: string, value: unknown) => ({ directives: { [name]: value } })

const withPrefix = (assetPrefix: string, csp?: unknown) =>
  createCspTable(parseSiteConfig({ csp, assetPrefix }).csp, PAGES, 'portico.config.ts', assetPrefix)

describe('changes of the policy', () => {
  it('X4 G6 the origin of assetPrefix is allowed where the files of the site are', () => {
    const origin = 'https://cdn.example:8443'
    const { site, routes } = withPrefix(`${origin}/files`, {
      routes: { '/about': directives('img-src', { replace: ["'none'"] }) },
    })
    expect(site?.directives).toMatchObject({
      'script-src': ["'self'", origin],
      'style-src': ["'self'", "'unsafe-inline'", origin],
      'font-src': ["'self'", 'data:', origin],
      'img-src': ["'self'", 'data:', 'blob:', 'https:', origin],
      'connect-src': ["'self'"],
      'default-src': ["'self'"],
    })
    expect(routes['/about']?.directives['img-src']).toEqual(["'none'"])
    expect(routes['/about']?.directives['script-src']).toEqual(["'self'", origin])
    expect(withPrefix('/cdn')).toEqual(tableOf(undefined))
  })

  it('G6 a site without csp has the default policy, with its screens in the same frames', () => {
    expect(policyOf(undefined)).toEqual({
      header: 'content-security-policy',
      'default-src': "'self'",
      'style-src': "'self' 'unsafe-inline'",
      'img-src': "'self' data: blob: https:",
      'font-src': "'self' data:",
      'media-src': "'self' https:",
      'connect-src': "'self'",
      'object-src': "'none'",
      'base-uri': "'self'",
      'form-action': "'self'",
      'frame-ancestors': "'self'",
      'script-src': "'self'",
    })
    expect(tableOf(undefined).screen).toEqual({
      name: 'content-security-policy',
      value: "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'self'",
    })
    expect(tableOf(directives('frame-ancestors', ['https://a.example'])).screen?.value).toContain(
      "frame-ancestors 'self' https://a.example",
    )
  })

  it('G6 a list adds to what the directive allows, replace replaces it', () => {
    const csp = {
      directives: {
        'script-src': ['https://js.example', "'self'"],
        'object-src': ['https://o.example'],
        'img-src': { replace: ["'self'", 'https://i.example'] },
        'style-src': { replace: ["'none'"] },
        'upgrade-insecure-requests': [],
        sandbox: ['allow-scripts', 'allow-same-origin'],
        'report-uri': ['/api/csp?from=site', 'https://r.example/a?key=1'],
      },
    }
    expect(policyOf(csp)).toMatchObject({
      'script-src': "'self' https://js.example",
      'object-src': 'https://o.example',
      'img-src': "'self' https://i.example",
      'style-src': "'none'",
      'upgrade-insecure-requests': '',
      sandbox: 'allow-scripts allow-same-origin',
      'report-uri': '/api/csp?from=site https://r.example/a?key=1',
    })
  })

  it('G6 a list for a directive that the policy lacks adds to the directive that browsers use instead', () => {
    const csp = {
      directives: {
        'worker-src': ['blob:'],
        'frame-src': ['https://f.example'],
        'script-src-elem': ['https://e.example'],
      },
      routes: { '/about': { directives: { 'script-src': ['https://js.example'] } } },
    }
    expect(policyOf(csp, '/about')).toMatchObject({
      'worker-src': "'self' https://js.example blob:",
      'frame-src': "'self' https://f.example",
      'script-src-elem': "'self' https://js.example https://e.example",
    })
  })

  it('G6 the most specific pattern of a route adds to the policy of the site, or removes it', () => {
    const script = (host: string) => directives('script-src', [`https://${host}.example`])
    const csp = {
      ...script('site'),
      reportOnly: true,
      routes: {
        '/[[...all]]': script('all'),
        '/shop/[[...path]]': script('shop'),
        '/shop/cart': { ...script('cart'), reportOnly: false },
        '/orders/[number]': false,
        '/404': script('missing'),
      },
    }
    const of = (route: string) => policyOf(csp, route)
    expect(of('/about')['script-src']).toBe("'self' https://site.example https://all.example")
    expect(of('/')['script-src']).toBe("'self' https://site.example https://all.example")
    expect(of('/shop/[...path]')['script-src']).toBe("'self' https://site.example https://shop.example")
    expect(of('/shop/cart')).toMatchObject({
      'script-src': "'self' https://site.example https://cart.example",
      header: 'content-security-policy',
    })
    expect(of('/about').header).toBe('content-security-policy-report-only')
    expect(of('/orders/[id]')).toEqual({})
    expect(of('/404')['script-src']).toBe("'self' https://site.example https://missing.example")
    expect(of('/500')['script-src']).toBe("'self' https://site.example")
    expect(tableOf(csp).screen?.name).toBe('content-security-policy-report-only')
  })

  it('G6 only their own patterns cover screens, with a file in the app folder and without', () => {
    const routes = { '/[name]': false, '/[[...all]]': false, '/404': { reportOnly: true } } as const
    const own = ['/404', '/500'].map((pattern) => ({ pattern, file: `pages${pattern}.tsx`, data: 'none' as const }))
    expect(tableOf({ routes }, [...PAGES, ...own]).routes).toEqual(tableOf({ routes }).routes)
    expect(tableOf({ routes: { '/500': false } }, [...PAGES, ...own]).routes).toEqual({ '/500': null })
  })

  it('G6 false is no policy, for error screens neither', () => {
    expect(tableOf(false)).toEqual({ site: null, routes: {}, screen: null })
    expect(policyOf(false)).toEqual({})
  })

  it('O8 a source of publicEnv is the origin of its value, and nothing without a value', () => {
    const csp = {
      directives: {
        'connect-src': [{ env: 'API_URL' }],
        'script-src': { replace: [{ env: 'WIDGET' }] },
        'report-uri': [{ env: 'API_URL' }],
      },
    }
    const of = (values: object) => policyOf(csp, '/', values)
    expect(of({ API_URL: 'https://key@api.example:8443/v1/7?q=1', WIDGET: '*.w.example' })).toMatchObject({
      'connect-src': "'self' https://api.example:8443",
      'script-src': '*.w.example',
      'report-uri': 'https://key@api.example:8443/v1/7?q=1',
    })
    expect(of({ API_URL: null, WIDGET: '' })).toMatchObject({ 'connect-src': "'self'", 'script-src': "'none'" })
    expect(of({ API_URL: null })).not.toHaveProperty('report-uri')
    expect(of({ WIDGET: 'https://ä.example/;a,b' })['script-src']).toBe('https://xn--4ca.example')
    expect(of({ WIDGET: 'wss://w.example/socket' })['script-src']).toBe('wss://w.example')
  })

  // SECURITY: a value of the environment is text of an operator: it must not add a directive, a keyword or a header.
  it.each([
    "x; script-src 'unsafe-inline'",
    'a.example b.example',
    'a.example,b.example',
    "'unsafe-inline'",
    'a.example\r\nx: y',
    'a.example\u0000',
    'a\tb',
    'https://a.example/\r\nx: y',
    'https://a.example; https://b.example',
  ])('O8 refuses the value %j of the environment', (value) => {
    const table = tableOf(directives('script-src', [{ env: 'WIDGET' }]))
    expect(() => readPolicies(table, { WIDGET: value })).toThrow(/WIDGET=.*a host like/s)
  })
})

it('G6 the browser manifest tells pages of different policies apart, and nothing of the policies', () => {
  const routes = { '/about': false, '/shop/cart': false, '/checkout': { reportOnly: true }, '/': {}, '/404': false }
  const files = { module: '', imports: [], styles: [] }
  const pages = PAGES.map((page) => ({ ...page, files }))
  // The manifest's other members are not read.
  const known = { buildId: 'b', semantics: {}, pages, screens: [], rewrites: [] }
  const manifest = { ...known, csp: tableOf({ routes }) } as unknown as Manifest
  const browser = browserManifestOf(manifest)
  const policies = browser.pages.map(({ pattern, policy }) => [pattern, policy])
  expect(Object.fromEntries(policies)).toEqual({
    '/': undefined,
    '/about': 1,
    '/checkout': 2,
    '/orders/[id]': undefined,
    '/shop/[...path]': undefined,
    '/shop/cart': 1,
    '/shop/[...path]/x': undefined,
  })
  // The default screen has links of _app, which lead to pages with another policy.
  expect(browser.screens).toEqual([{ pattern: '/404', policy: 1 }])
})

describe('faults', () => {
  const table: [text: string, csp: unknown][] = [
    ['csp = true: must be an object', true],
    ['csp.directive = {}: is not a member', { directive: {} }],
    ['csp.reportOnly = "yes": must be true or false', { reportOnly: 'yes' }],
    ['csp.directives["scripts"] = []: is not a directive; known: default-src', directives('scripts', [])],
    ['csp.directives["toString"] = []: is not a directive', directives('toString', [])],
    ['csp.directives["img-src"] = "https:": must be a list', directives('img-src', 'https:')],
    ['csp.directives["img-src"] = []: must have a source', directives('img-src', [])],
    ['csp.directives["img-src"].add = []: is not a member', directives('img-src', { add: [] })],
    [`[0] = "self": is a keyword, which has quotes: "'self'"`, directives('script-src', ['self'])],
    [`[0] = "sha256-abc": is a hash, which has quotes`, directives('script-src', ['sha256-abc'])],
    [`[0] = "'nonce-abc'": a nonce is for one response`, directives('script-src', ["'nonce-abc'"])],
    [`[0] = "'selves'": is not a keyword of this directive`, directives('script-src', ["'selves'"])],
    [`[0] = "'unsafe-inline'": is not a keyword of this directive`, directives('img-src', ["'unsafe-inline'"])],
    [`'none' is not next to other sources`, directives('img-src', ["'none'"])],
    [`'none' is not next to other sources`, directives('img-src', { replace: ["'none'", 'https:'] })],
    ['must be a host like', directives('script-src', ["https://a.example; script-src 'unsafe-inline'"])],
    ['must be a host like', directives('script-src', ['a.example b.example'])],
    ['must be a host like', directives('script-src', ['a.example,b.example'])],
    ['must be a host like', directives('script-src', ['https://a.example\r\nX: y'])],
    ['must be a path of this site', directives('report-uri', ['//a.example'])],
    ['must be a path of this site', directives('report-uri', ['/a;b'])],
    ['must be one name', directives('report-to', ['a b'])],
    ['must be a permission', directives('sandbox', ['scripts'])],
    ['must be []', directives('upgrade-insecure-requests', ['x'])],
    ['must be text or { env: "NAME" }', directives('img-src', [1])],
    ['must be text', directives('sandbox', [{ env: 'API_URL' }])],
    ['must name a value of publicEnv', directives('img-src', [{ env: 'OTHER' }])],
    ['must name a value of publicEnv', directives('img-src', [{ env: 'COUNT' }])],
    ['[0].name = "A": is not a member', directives('img-src', [{ env: 'API_URL', name: 'A' }])],
    ['csp: sandbox has no effect with reportOnly', { reportOnly: true, ...directives('sandbox', []) }],
    [
      'csp.routes["/about"]: upgrade-insecure-requests has no effect with reportOnly',
      { routes: { '/about': { reportOnly: true } }, ...directives('upgrade-insecure-requests', []) },
    ],
    [`'strict-dynamic'": needs a nonce in every document`, directives('script-src', ["'strict-dynamic'"])],
    ['must not be set for /about', { routes: { '/about': directives('script-src', ["'strict-dynamic'"]) } }],
    ['must not be set for /404', { routes: { '/404': directives('script-src-elem', ["'strict-dynamic'"]) } }],
    ['csp.routes = []: must be an object with patterns', { routes: [] }],
    ['csp.routes["about"] = "about": must be a pattern', { routes: { about: false } }],
    ['csp.routes["/:id"]: no page fits', { routes: { '/:id': false, '/about': false } }],
    ['csp.routes["/none"]: no page fits', { routes: { '/none': false } }],
    ['csp.routes["/500"]: no page fits', { routes: { '/500': false } }],
    ['covers the same pages as /[a]', { routes: { '/[a]': false, '/[b]': false } }],
    ['must be an object { directives, reportOnly }, or false', { routes: { '/': null } }],
    ['.routes = {}: is not a member', { routes: { '/': { routes: {} } } }],
  ]
  it.each(table)('R7 reports %s', (text, csp) => {
    const fault = faultOf(csp)
    expect(fault).toContain(text)
    expect(fault).toMatch(/^portico\.config\.ts: csp/)
  })

  it('G6 strict-dynamic is accepted for pages with getServerSideProps', () => {
    const routes = { '/checkout': directives('script-src', ["'strict-dynamic'"]) }
    expect(policyOf({ routes }, '/checkout')['script-src']).toBe("'self' 'strict-dynamic'")
  })

  it.each(['Content-Security-Policy', 'content-security-policy-report-only'])(
    'R7 a header rule with %s is refused and names csp',
    (key) => {
      const headers = [{ source: '/a', headers: [{ key, value: "default-src 'self'" }] }]
      expect(() => parseSiteConfig({ headers })).toThrow(/headers\[0\]\.headers = ".*": .*; use csp/)
    },
  )
})
