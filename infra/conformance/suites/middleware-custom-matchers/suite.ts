// The suite of conditions for the paths that middleware names.

import { request } from 'node:http'
import { expect } from 'vitest'
import type { Behaviour, BrowserSite, HttpSite } from '../../harness/behaviour.ts'
import { behavioursOf } from '../../harness/behaviour.ts'
import { expectResponse, responses } from '../../harness/responses.ts'
import { type Suite, upstream } from '../../harness/suite.ts'

const NAME = 'middleware-custom-matchers'
const suite = behavioursOf(NAME)
const AT = '/middleware-custom'

/** The page of a path for which middleware runs: nothing else serves it. */
const MATCHED = { status: 200, headers: { 'x-matched': 'yes' } }
const NOT_MATCHED = { status: 404, headers: { 'x-matched': null } }
const withHeaders = (headers: Record<string, string>) => ({ request: { headers } })

/** The status for a Host header, which fetch does not send. */
function statusFor(site: HttpSite, host: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const sent = request(`${site.origin}${AT}/host`, { headers: { host } }, (response) => {
      response.resume()
      resolve(response.statusCode)
    })
    sent.on('error', reject).end()
  })
}

/** Clicks a link to an address that only middleware serves. */
function follows(number: number, does: string, link: string, cookie?: string): Behaviour {
  const run = async (site: BrowserSite) => {
    if (cookie) await site.page.context().addCookies([{ name: cookie, value: 'yes', url: site.origin }])
    await site.open(`${AT}/routes`)
    await site.page.click(link)
    await expect.poll(site.state, site.patience).toMatchObject({ pathname: '/', props: { text: 'root' } })
    expect(site.documents).toHaveLength(1)
  }
  return {
    id: `${NAME}-${number}`,
    does,
    via: 'browser',
    configuration: 'middleware',
    run,
  }
}

export const middlewareCustomMatchers: Suite = {
  name: NAME,
  source: upstream('test/e2e/middleware-custom-matchers/test/index.test.ts'),
  tests: 10,
  rows: {},
  behaviours: [
    ...responses(
      NAME,
      {
        '1 runs without a header that must be missing': {
          requests: [
            { path: '/no-header', ...MATCHED },
            { path: '/no-header', ...withHeaders({ 'x-flower': 'rose' }), ...NOT_MATCHED },
          ],
        },
        '2 runs without a value of the query that must be missing': {
          requests: [
            { path: '/no-query', ...MATCHED },
            { path: '/no-query?flower=rose', ...NOT_MATCHED },
          ],
        },
        '3 runs for a path': { path: '/path', ...MATCHED },
        '4 runs with a header': {
          requests: [
            { path: '/header', ...withHeaders({ 'x-flower': 'a red rose' }), ...MATCHED },
            { path: '/header', ...NOT_MATCHED },
          ],
        },
        '5 runs with a name in the query': {
          requests: [
            { path: '/query?flower=rose', ...MATCHED },
            { path: '/query', ...NOT_MATCHED },
          ],
        },
        '6 runs with a value of a cookie': {
          requests: [
            { path: '/cookie', ...withHeaders({ cookie: 'member=yes' }), ...MATCHED },
            { path: '/cookie', ...withHeaders({ cookie: 'member=no' }), ...NOT_MATCHED },
          ],
        },
        '8 runs with the value of a header': {
          requests: [
            { path: '/value', ...withHeaders({ xFlower: 'rose' }), ...MATCHED },
            { path: '/value', ...withHeaders({ xFlower: 'lily' }), ...NOT_MATCHED },
          ],
        },
      },
      { at: AT, configuration: 'middleware' },
    ),
    suite.overHttp(
      7,
      'runs for a host',
      async (site) => {
        await expectResponse(site, { path: `${AT}/host`, ...NOT_MATCHED })
        expect(await statusFor(site, 'garden.example')).toBe(200)
        expect(await statusFor(site, 'forest.example')).toBe(404)
      },
      { configuration: 'middleware' },
    ),
    follows(9, 'runs for a link with a query', '#query'),
    follows(10, 'runs for a link with a cookie', '#cookie', 'member'),
  ],
}
