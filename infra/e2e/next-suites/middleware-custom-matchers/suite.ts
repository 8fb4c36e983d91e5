// The suite of conditions for the paths that middleware names.

import { request } from 'node:http'
import { expect } from 'vitest'
import type { Behaviour, BrowserSite, HttpSite } from '../harness/behaviour.ts'
import type { Suite } from '../harness/suite.ts'

const NAME = 'middleware-custom-matchers'
const AT = '/middleware-custom'

type MatchTest = (path: string, headers?: Record<string, string>) => Promise<boolean>

function overHttp(
  number: number,
  does: string,
  run: (isMatched: MatchTest, site: HttpSite) => Promise<void>,
): Behaviour {
  return {
    id: `${NAME}-${number}`,
    does,
    via: 'http',
    configuration: 'middleware',
    run: (site) =>
      run(async (path, headers = {}) => {
        const response = await site.fetch(AT + path, { headers })
        const isMatched = response.headers.get('x-matched') === 'yes'
        expect(response.status).toBe(isMatched ? 200 : 404)
        return isMatched
      }, site),
  }
}

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
  const run = async (site: BrowserSite, documents: number) => {
    if (cookie) await site.page.context().addCookies([{ name: cookie, value: 'yes', url: site.origin }])
    await site.open(`${AT}/routes`)
    await site.page.click(link)
    await expect.poll(site.state, site.patience).toMatchObject({ pathname: '/', props: { text: 'root' } })
    expect(site.documents).toHaveLength(documents)
  }
  return {
    id: `${NAME}-${number}`,
    does,
    via: 'browser',
    configuration: 'middleware',
    run: (site) => run(site, 1),
    differs: {
      reason: 'the router loads an address that is no path of a page as a document',
      run: (site: BrowserSite) => run(site, 2),
    },
  }
}

export const middlewareCustomMatchers: Suite = {
  name: NAME,
  source: {
    repository: 'ijjk/next.js',
    commit: 'b591159d4699f9bad4766e24b65d8fa8b6cda37d',
    file: 'test/e2e/middleware-custom-matchers/test/index.test.ts',
  },
  tests: 10,
  rows: {},
  behaviours: [
    overHttp(1, 'runs without a header that must be missing', async (isMatched) => {
      expect(await isMatched('/no-header')).toBe(true)
      expect(await isMatched('/no-header', { 'x-flower': 'rose' })).toBe(false)
    }),
    overHttp(2, 'runs without a value of the query that must be missing', async (isMatched) => {
      expect(await isMatched('/no-query')).toBe(true)
      expect(await isMatched('/no-query?flower=rose')).toBe(false)
    }),
    overHttp(3, 'runs for a path', async (isMatched) => expect(await isMatched('/path')).toBe(true)),
    overHttp(4, 'runs with a header', async (isMatched) => {
      expect(await isMatched('/header', { 'x-flower': 'a red rose' })).toBe(true)
      expect(await isMatched('/header')).toBe(false)
    }),
    overHttp(5, 'runs with a name in the query', async (isMatched) => {
      expect(await isMatched('/query?flower=rose')).toBe(true)
      expect(await isMatched('/query')).toBe(false)
    }),
    overHttp(6, 'runs with a value of a cookie', async (isMatched) => {
      expect(await isMatched('/cookie', { cookie: 'member=yes' })).toBe(true)
      expect(await isMatched('/cookie', { cookie: 'member=no' })).toBe(false)
    }),
    overHttp(7, 'runs for a host', async (isMatched, site) => {
      expect(await isMatched('/host')).toBe(false)
      expect(await statusFor(site, 'garden.example')).toBe(200)
      expect(await statusFor(site, 'forest.example')).toBe(404)
    }),
    overHttp(8, 'runs with the value of a header', async (isMatched) => {
      expect(await isMatched('/value', { xFlower: 'rose' })).toBe(true)
      expect(await isMatched('/value', { xFlower: 'lily' })).toBe(false)
    }),
    follows(9, 'runs for a link with a query', '#query'),
    follows(10, 'runs for a link with a cookie', '#cookie', 'member'),
  ],
}
