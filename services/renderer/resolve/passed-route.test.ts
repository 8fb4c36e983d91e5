// The gateway's resolution at a renderer: trusted for this version, else resolved again and reported (W9).

import { HEADERS, INTERNAL_HEADERS, NO_TARGET } from '@portico/shared/wire/constants.ts'
import { formatEntryTarget } from '@portico/shared/wire/page-entry.ts'
import { formatPassedRoute } from '@portico/shared/wire/passed-route.ts'
import { describe, expect, it } from 'vitest'
import { testSite } from '../testing/site.ts'
import { rendererForTests, shownProps, startRenderer, TOKEN } from '../testing/start-renderer.ts'

const under = rendererForTests()
const { route: ROUTE, resolvedAgain: RESOLVED_AGAIN } = INTERNAL_HEADERS

testSite.data.seen = ({ params, query, resolvedUrl }, { headers }) => ({
  props: { params, query, resolvedUrl, internal: [...headers().keys()].filter((name) => name.startsWith('portico')) },
})
testSite.data.other = () => ({ props: { other: true } })
testSite.data.broken = () => {
  throw new Error('secret')
}
testSite.data.forges = ({ res }) => {
  res.setHeader('Portico-Internal-Route', '/forged')
  return { props: {} }
}

interface Page {
  pattern: string
  params: Record<string, unknown>
  target?: string
}

/** Sends a request with a resolution, of this renderer's version if no other is given. */
function request(path: string, page: Page | undefined, version = under.renderer.pages.version) {
  return under.renderer.request(path, { headers: { [ROUTE]: JSON.stringify({ version, page }) } })
}

const SEEN: Page = { pattern: '/data/[name]', params: { name: 'seen' } }
const reportOf = ({ headers }: { headers: Record<string, unknown> }) => [headers[ROUTE], headers[RESOLVED_AGAIN]]

it('W9 trusts a resolution of its version and resolves nothing itself', async () => {
  // The path alone has another page: the response shows which of the two was rendered.
  const response = await request('/data/other?x=1', SEEN)
  expect(shownProps(response)).toEqual({
    params: { name: 'seen' },
    query: { x: '1', name: 'seen' },
    resolvedUrl: '/data/other?x=1',
    internal: [],
  })
  expect(reportOf(response)).toEqual([undefined, undefined])
  const rewritten = await request('/data/other?x=1', { ...SEEN, target: '/data/seen?from=rule&x=1' })
  expect(shownProps(rewritten)).toMatchObject({
    resolvedUrl: '/data/seen?from=rule&x=1',
    query: { from: 'rule', x: '1', name: 'seen' },
  })
})

it.each([
  ['no resolution', { moved: NO_TARGET }],
  ['that of another version', { version: 'other.x', page: SEEN, moved: NO_TARGET }],
])('X15 W9 finds no page with %s for a request that middleware hides', async (_name, passed) => {
  const response = await under.renderer.request('/data/other', { headers: { [ROUTE]: JSON.stringify(passed) } })
  expect([response.status, response.body.includes('"other":true')]).toEqual([404, false])
})

it('W9 trusts it for page data, for HEAD and for pages of the cache', async () => {
  const { buildId } = under.renderer.manifest
  const data = await request(`/_portico/data/${buildId}/data/other.json`, SEEN)
  expect(JSON.parse(data.body)).toMatchObject({ route: '/data/[name]', params: { name: 'seen' } })
  testSite.shared.one = () => ({ props: { name: 'one' } })
  const shared = { pattern: '/shared/[name]', params: { name: 'one' } }
  expect(shownProps(await request('/shared/two', shared))).toEqual({ name: 'one' })
  // The key of the entry is that of the page, however it was found.
  const again = await under.renderer.request('/shared/one')
  expect([shownProps(again), again.headers[INTERNAL_HEADERS.cache]]).toEqual([{ name: 'one' }, 'HIT'])
  const head = await under.renderer.request('/none', {
    method: 'HEAD',
    headers: { [ROUTE]: JSON.stringify({ version: under.renderer.pages.version, page: SEEN }) },
  })
  expect([head.status, head.body]).toEqual([200, ''])
})

it('W9 E1 trusts that no page has the path', async () => {
  const response = await request('/about', undefined)
  expect([response.status, reportOf(response)]).toEqual([404, [undefined, undefined]])
  expect(response.body).toContain('This page could not be found.')
})

it.each<[string, string | undefined, string | undefined]>([
  ['another version', JSON.stringify({ version: 'other.env1', page: SEEN }), 'other-version'],
  ['another version that knows no page', JSON.stringify({ version: 'other.env1' }), 'other-version'],
  ['a page that does not exist', 'unknown', 'unknown-page'],
  ['another shape', '{"version":1}', 'malformed'],
  ['no JSON', '/data/[name]', 'malformed'],
  ['no resolution', undefined, undefined],
])('W9 resolves the path itself and says so, given %s', async (_name, given, reason) => {
  const { version } = under.renderer.pages
  const unknown = JSON.stringify({ version, page: { ...SEEN, pattern: '/gone' } })
  const header = given === 'unknown' ? unknown : given
  const { lines } = under.renderer
  lines.length = 0
  const response = await under.renderer.request(
    '/alias/other',
    header === undefined ? {} : { headers: { [ROUTE]: header } },
  )
  expect(shownProps(response)).toEqual({ other: true })
  expect(reportOf(response)).toEqual(['/data/[name]', reason])
  await expect.poll(() => lines.find(({ event }) => event === 'request')).toBeDefined()
  const line = lines.find(({ event }) => event === 'request')
  expect([line?.resolvedBy, line?.resolvedAgain]).toEqual(['renderer', reason])
})

it('W9 reports its own resolution with errors and not-found screens, too', async () => {
  const version = 'other.env1'
  expect(reportOf(await request('/data/broken', SEEN, version))).toEqual(['/data/[name]', 'other-version'])
  expect(reportOf(await request('/none', SEEN, version))).toEqual([undefined, 'other-version'])
})

it('W9 R1 accepts and reports a page whose file name no header could have', async () => {
  const alone = await under.renderer.request('/to-%E6%97%A5%E6%9C%AC')
  expect([alone.status, alone.headers[ROUTE]]).toEqual([200, '/to-%E6%97%A5%E6%9C%AC'])
  const { version, manifest } = { ...under.renderer, version: under.renderer.pages.version }
  const entry = manifest.pages.find(({ pattern }) => pattern === '/to-\u65e5\u672c')!
  const resolution = { kind: 'page' as const, entry, params: {}, pathname: '/x', search: '' }
  const header = formatPassedRoute({ version, resolution, isRewritten: false })!
  const passed = await under.renderer.request('/none', { headers: { [ROUTE]: header } })
  expect([passed.status, passed.body.includes('<h1>Japan</h1>')]).toEqual([200, true])
})

it('W9 G1 refuses a header of the framework from page code', async () => {
  const response = await under.renderer.request('/data/forges')
  expect([response.status, response.headers[ROUTE]]).toEqual([500, '/data/[name]'])
  expect(JSON.stringify(under.renderer.errors.at(-1))).toContain('portico-internal-route')
})

it('C2 W8 has a version of build, public values and basePath', async () => {
  const { manifest, pages } = under.renderer
  expect(pages.version).toBe(`${manifest.buildId}.${JSON.stringify({ GREETING: 'Hello' })}`)
  expect((await under.renderer.request('/about')).headers[HEADERS.build]).toBe(manifest.buildId)
})

describe('a renderer of a site with locales', () => {
  const i18n = { locales: ['en', 'fr'], defaultLocale: 'en', localeDetection: true }
  const start = () => startRenderer(under.site, { i18n })
  testSite.shared.local = ({ locale, locales, defaultLocale }) => ({ props: { locale, locales, defaultLocale } })
  testSite.data.local = ({ locale, resolvedUrl }) => ({ props: { locale, resolvedUrl } })

  it('X14 renders each page once for each locale, and keeps them apart in every form', async () => {
    const renderer = await start()
    for (const [path, locale] of [
      ['/shared/local', 'en'],
      ['/fr/shared/local', 'fr'],
      ['/en/shared/local', 'en'],
      ['/FR/shared/local', 'fr'],
    ]) {
      const page = await renderer.request(path!)
      expect([path, shownProps(page)]).toEqual([path, { locale, locales: ['en', 'fr'], defaultLocale: 'en' }])
    }
    expect((await renderer.request('/en/shared/local')).headers['portico-internal-cache']).toBe('HIT')
    expect(JSON.parse((await renderer.requestData('/fr/shared/local.json')).body).props).toMatchObject({ locale: 'fr' })
    expect(shownProps(await renderer.request('/fr/data/local'))).toEqual({ locale: 'fr', resolvedUrl: '/data/local' })
    await renderer.invalidate({ paths: ['/fr/shared/local'] })
    expect((await renderer.request('/shared/local')).headers['portico-internal-cache']).toBe('HIT')
    expect((await renderer.request('/fr/shared/local')).headers['portico-internal-cache']).toBe('MISS')
    await renderer.stop()
  })

  it('X14 W8 gives entries of the locales of the site only', async () => {
    const renderer = await start()
    const params = { name: 'local' }
    const propsIn = async (locale: string) =>
      JSON.parse((await renderer.requestEntry('/shared/[name]', { params, locale })).data.toString()).props.locale
    expect([await propsIn('fr'), await propsIn('en')]).toEqual(['fr', 'en'])
    const authorization = { authorization: `Bearer ${TOKEN}` }
    for (const locale of ['de', 'FR', '', undefined]) {
      const query = { as: 'entry', pattern: '/shared/[name]', params, locale, position: { generation: 0 } } as const
      expect([locale, (await renderer.getInner(formatEntryTarget(query)!, authorization)).status]).toEqual([
        locale,
        404,
      ])
    }
    await renderer.stop()
  })

  it('X14 W9 takes the locale of the gateway, and resolves the page itself without one of the site', async () => {
    const renderer = await start()
    const { version } = renderer.pages
    const passed = (locale: string | undefined) =>
      renderer.request('/fr/shared/local', {
        headers: {
          [ROUTE]: JSON.stringify({ version, locale, page: { pattern: '/shared/[name]', params: { name: 'local' } } }),
        },
      })
    expect(shownProps(await passed('en'))).toMatchObject({ locale: 'en' })
    for (const locale of ['de', undefined]) {
      const response = await passed(locale)
      expect([shownProps(response), reportOf(response)]).toMatchObject([
        { locale: 'fr' },
        ['/shared/[name]', 'malformed'],
      ])
    }
    await renderer.stop()
  })
})
