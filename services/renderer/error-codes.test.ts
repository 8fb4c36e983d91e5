// A request for each code of the error catalogue that the renderer sends, and pages that refuse the client:
// unauthorized() and forbidden() of data functions and renders.

import { INTERNAL_HEADERS } from '@portico/shared/wire/constants.ts'
import { ERROR_CATALOGUE, type ErrorCode } from '@portico/shared/wire/errors/error-catalogue.ts'
import { unavailable } from '@portico/shared/wire/errors/unavailable.ts'
import { parsePageData } from '@portico/shared/wire/page-data.ts'
import { describe, expect, test } from 'vitest'
import { type SiteData, testSite } from './testing/site.ts'
import { rendererForTests, type TestRenderer, type TestResponse } from './testing/start-renderer.ts'

const under = rendererForTests()
const { data, shared } = testSite
data.members = (_context, { unauthorized }) => unauthorized()
data.editors = (_context, { forbidden }) => forbidden()
data.broken = () => {
  throw new Error('secret')
}

const isAway: SiteData = () => {
  throw new Error('no places', { cause: unavailable('secret') })
}

type Case = [
  code: ErrorCode,
  how: string,
  request: (renderer: TestRenderer) => Promise<TestResponse>,
  guarded?: SiteData,
]
const CASES: Case[] = [
  ['bad-request', 'a malformed host', ({ request }) => request('/', { headers: { 'x-forwarded-host': 'a b' } })],
  ['bad-request', 'an inner request without a member', ({ requestInner }) => requestInner('/internal/render', {})],
  ['malformed-path', 'a page', ({ request }) => request('/data/%80')],
  ['malformed-path', 'page data', ({ requestData }) => requestData('/data/%80.json')],
  ['not-found', 'a page', ({ request }) => request('/none')],
  ['not-found', 'page data', ({ requestData }) => requestData('/none.json')],
  ['not-found', 'an address of the framework', ({ request }) => request('/_portico/none')],
  ['foreign-build', 'page data of another build', ({ request }) => request('/_portico/data/other/about.json')],
  ['method-not-allowed', 'a page', ({ request }) => request('/', { method: 'PUT' })],
  ['unauthorized', 'a page that calls unauthorized()', ({ request }) => request('/data/members')],
  ['unauthorized', 'page data', ({ requestData }) => requestData('/data/members.json')],
  ['access-denied', 'a page that calls forbidden()', ({ request }) => request('/data/editors')],
  ['access-denied', 'page data', ({ requestData }) => requestData('/data/editors.json')],
  ['internal', 'a page that throws', ({ request }) => request('/data/broken')],
  ['api-unavailable', 'a page whose own API is away', ({ request }) => request('/data/guarded'), isAway],
  ['api-unavailable', 'page data of one', ({ requestData }) => requestData('/data/guarded.json'), isAway],
  ['internal', 'page data of a page that throws', ({ requestData }) => requestData('/data/broken.json')],
]

test.each(CASES)('E2 E7 sends %s for %s', async (code, _how, request, run) => {
  if (run) data.guarded = run
  const { status, headers, body } = await request(under.renderer)
  if (status === 503) expect(headers['retry-after']).toBe('1')
  expect([status, headers[INTERNAL_HEADERS.code]]).toEqual([ERROR_CATALOGUE[code].status, code])
  if (body.startsWith('{"error"')) expect(JSON.parse(body)).toMatchObject({ error: { status, code } })
  expect(body).not.toContain('secret')
})

test('G7 W9 reports digest and route of failed page data to the gateway', async () => {
  const { headers, body } = await under.renderer.requestData('/data/broken.json')
  const { digest } = (JSON.parse(body) as { error: { digest: string } }).error
  expect(headers).toMatchObject({ [INTERNAL_HEADERS.digest]: digest, [INTERNAL_HEADERS.route]: '/data/[name]' })
})

const WAYS: [how: string, status: 401 | 403, run: SiteData][] = [
  ['a data function calls unauthorized()', 401, (_context, { unauthorized }) => unauthorized()],
  ['a data function calls forbidden() later', 403, async (_context, { forbidden }) => forbidden()],
  ['a render calls unauthorized()', 401, () => ({ props: { throws: 'unauthorized' } })],
  ['a render calls forbidden()', 403, () => ({ props: { throws: 'forbidden' } })],
]

describe.each(WAYS)('%s', (_how, status, run) => {
  test(`E2 the document is the error screen with status ${status}, and no cache stores it`, async () => {
    data.guarded = run
    const { renderer } = under
    const before = renderer.errors.length
    const { status: sent, headers, body } = await renderer.request('/data/guarded')
    expect([sent, headers['cache-control']]).toEqual([status, 'private, no-store'])
    expect(body).toContain(`<title>${status}: ${status === 401 ? 'Unauthorized' : 'Forbidden'}</title>`)
    expect(body).toContain(`"props":{"statusCode":${status}}`)
    expect(renderer.errors.length).toBe(before)
  })
})

test.each([
  ['unauthorized', 401],
  ['forbidden', 403],
] as const)(
  'P4 page data of %s() is the JSON of the error with status %i, which the browser parses',
  async (name, status) => {
    data.guarded = (_context, imports) => imports[name]()
    const { status: sent, headers, body } = await under.renderer.requestData('/data/guarded.json')
    expect([sent, headers['cache-control'], headers['portico-build']]).toEqual([
      status,
      'private, no-store',
      under.renderer.manifest.buildId,
    ])
    const json: unknown = JSON.parse(body)
    expect(json).toMatchObject({ error: { status, title: status === 401 ? 'Unauthorized' : 'Forbidden' } })
    expect(parsePageData(json)).toEqual({ kind: 'refused', status })
  },
)

test('D3 cookies and the challenge that page code set are sent with the refusal', async () => {
  data.guarded = ({ res }, { cookies, unauthorized }) => {
    res.setHeader('WWW-Authenticate', 'Basic realm="x"')
    res.setHeader('X-Other', 'kept back')
    cookies().set('session', 'gone')
    return unauthorized()
  }
  const { request, requestData } = under.renderer
  for (const { headers } of [await request('/data/guarded'), await requestData('/data/guarded.json')]) {
    expect(headers['www-authenticate']).toBe('Basic realm="x"')
    expect(headers['set-cookie']).toEqual([expect.stringMatching(/^session=gone;/)])
    expect(headers['x-other']).toBeUndefined()
  }
})

test.each(['unauthorized', 'forbidden'] as const)(
  'C1 %s() in a page for all clients is an error that names the page and the remedy',
  async (name) => {
    const message = `${name}() was called for /shared/[name], which is rendered once for all visitors; use getServerSideProps there.`
    for (const run of [(_context, imports) => imports[name](), () => ({ props: { throws: name } })] as SiteData[]) {
      shared[name] = run
      expect((await under.renderer.request(`/shared/${name}`)).status).toBe(500)
      expect(under.renderer.errors.at(-1)).toMatchObject({ error: { message } })
    }
  },
)

test.each([401, 403] as const)(
  'W6 status %i is the error screen, without a call of the data function',
  async (status) => {
    let calls = 0
    data.posted = () => ({ props: { calls: ++calls } })
    const { requestInner } = under.renderer
    const { status: sent, body } = await requestInner('/internal/render', { url: '/data/posted', as: 'html', status })
    expect([sent, calls]).toEqual([status, 0])
    expect(body).toContain(`<h1 style="font-size:1.5rem;margin:0">${status}</h1>`)
  },
)
