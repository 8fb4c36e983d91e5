// What a handler sends, and what becomes of its errors.

import { expect } from 'vitest'
import type { Behaviour, HttpSite } from '../../harness/behaviour.ts'
import { behavioursOf } from '../../harness/behaviour.ts'
import { responses as responsesOf } from '../../harness/responses.ts'

const suite = behavioursOf('api-support')

const AT = '/api/api-support'
const JSON_TYPE = 'application/json; charset=utf-8'

/** A line of the log about a response that is longer than the limit of its handler. */
const warning = (site: HttpSite, handler: string) => site.log().find((line) => /API response/.test(line) && new RegExp(`${AT}/${handler}(?![-\\w])`).test(line))

/** How long a line of the log may take. */
const LOG = { timeout: 5000 }

async function expectLarge(site: HttpSite, handler: string, bytes: number): Promise<void> {
  const response = await site.fetch(`${AT}/${handler}`)
  expect(response.status).toBe(200)
  expect((await response.arrayBuffer()).byteLength).toBe(bytes)
}

/** A redirect whose arguments are wrong. */
function refuses(number: number, does: string, by: string): Behaviour {
  return {
    id: `api-support-${number}`,
    does,
    via: 'http',
    async run(site) {
      const before = site.log().length
      expect((await site.fetch(`${AT}/redirect?by=${by}`)).status).toBe(500)
      await expect.poll(() => site.log().slice(before).join('\n'), LOG).toContain('res.redirect(')
    },
  }
}

/** A handler that throws an error in some way. */
const fails = (path: string) => ({
  path,
  status: 500,
  body: 'Internal Server Error',
  differs: {
    reason: 'responses of errors below /api are JSON, with the digest that the log has',
    path,
    status: 500,
    jsonPart: { error: { digest: expect.any(String) } },
    without: 'drawer',
  },
})

const asJson = (of: string, body: string) => ({ path: `/value?of=${of}`, status: 200, headers: { 'content-type': JSON_TYPE }, body })

const redirects = (by: string, status: number) => ({
  path: `/redirect?by=${by}`,
  status,
  headers: { location: '/api-support/office' },
  body: '/api-support/office',
})

const plain = responsesOf(
  'api-support',
  {
    '3 sends 204 without a body and without headers of one, also where the handler sends a body': {
      path: ['/nothing', '/nothing?body=1'],
      status: 204,
      headers: { 'content-type': null, 'content-length': null, 'transfer-encoding': null },
    },
    '7 leaves a preflight to the code of the handler': {
      path: '/shared',
      request: { method: 'OPTIONS', headers: { origin: 'https://a.example' } },
      status: 204,
      headers: { 'access-control-allow-methods': 'GET,POST,OPTIONS' },
    },
    '9 sends an error that the handler writes': { path: '/closed', status: 500, json: { reason: 'closed' } },
    '10 responds with 500 where a handler throws, and hides the error': fails('/throws'),
    '11 responds with 500 where a handler rejects, and hides the error': fails('/rejects'),
    '14 sends true as JSON': asJson('true', 'true'),
    '15 sends undefined as JSON': asJson('undefined', ''),
    '16 sends text as JSON': asJson('text', '"by air"'),
    '17 sends null as JSON': asJson('null', 'null'),
    '27 redirects with 307, and has the address in the body, too': redirects('default', 307),
    '29 redirects with 301, and has the address in the body, too': redirects('301', 301),
    '28 leads a client to the page of a redirect': { path: '/redirect?by=default', request: { redirect: 'follow' }, url: '/api-support/office', status: 200 },
    '43 lets a handler run a program': { path: '/process', body: 'weighed' },
    '44 sends a response without content whose handler writes an empty text': { path: '/empty', body: '' },
  },
  { at: AT },
)

export const responses: readonly Behaviour[] = [
  ...plain,
  suite.overHttp(21, 'responds with 304 to a request that has the entity tag of the response', async (site) => {
    const tag = (await site.fetch(`${AT}/stamps`)).headers.get('etag')
    expect(tag).toBeTruthy()
    // Without a rule for caches the client would add no-cache, as for a reload.
    const init = { headers: { 'if-none-match': String(tag), 'cache-control': 'max-age=0' } }
    expect((await site.fetch(`${AT}/stamps`, init)).status).toBe(304)
  }),
  refuses(25, 'responds with 500 to a redirect without a location, and names the call in the log', 'none'),
  refuses(26, 'responds with 500 to a redirect to null, and names the call in the log', 'null'),
  suite.overHttp(45, 'sends more than 4 MB at a time and in pieces, and warns in the log', async (site) => {
    await expectLarge(site, 'large', 4 * 1024 * 1024 + 1)
    await expectLarge(site, 'large-pieces', 65 * 64 * 1024)
    for (const handler of ['large', 'large-pieces']) await expect.poll(() => warning(site, handler), LOG).toMatch(/4 ?MB|4194304/)
  }),
  suite.overHttp(46, 'does not warn where the handler has no limit', async (site) => {
    await expectLarge(site, 'large-unlimited', 4 * 1024 * 1024 + 1)
    // The log is written in the order of the requests.
    await expectLarge(site, 'large', 4 * 1024 * 1024 + 1)
    await expect.poll(() => warning(site, 'large'), LOG).toBeTruthy()
    expect(warning(site, 'large-unlimited')).toBe(undefined)
  }),
  suite.overHttp(47, 'warns with the limit of the handler', async (site) => {
    await expectLarge(site, 'large-limited', 6 * 1024 * 1024)
    await expect.poll(() => warning(site, 'large-limited'), LOG).toMatch(/5 ?MB|5242880/)
  }),
]
