// A request for each code of the error catalogue that the renderer sends.

import { INTERNAL_HEADERS } from '@portico/shared/wire/constants.ts'
import { ERROR_CATALOGUE, type ErrorCode } from '@portico/shared/wire/errors/error-catalogue.ts'
import { expect, test } from 'vitest'
import { testSite } from './testing/site.ts'
import { rendererForTests, type TestRenderer, type TestResponse } from './testing/start-renderer.ts'

const under = rendererForTests()
testSite.data.broken = () => {
  throw new Error('secret')
}

type Case = [code: ErrorCode, how: string, request: (renderer: TestRenderer) => Promise<TestResponse>]
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
  ['internal', 'a page that throws', ({ request }) => request('/data/broken')],
  ['internal', 'page data of a page that throws', ({ requestData }) => requestData('/data/broken.json')],
]

test.each(CASES)('E2 sends %s for %s', async (code, _how, request) => {
  const { status, headers, body } = await request(under.renderer)
  expect([status, headers[INTERNAL_HEADERS.code]]).toEqual([ERROR_CATALOGUE[code].status, code])
  if (body.startsWith('{"error"')) expect(JSON.parse(body)).toMatchObject({ error: { status, code } })
  expect(body).not.toContain('secret')
})

test('G7 W9 reports digest and route of failed page data to the gateway', async () => {
  const { headers, body } = await under.renderer.requestData('/data/broken.json')
  const { digest } = (JSON.parse(body) as { error: { digest: string } }).error
  expect(headers).toMatchObject({ [INTERNAL_HEADERS.digest]: digest, [INTERNAL_HEADERS.route]: '/data/[name]' })
})
