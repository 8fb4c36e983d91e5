// Rewrites to another host.

import { request } from 'node:http'
import { expect } from 'vitest'
import type { Behaviour, HttpSite } from '../../harness/behaviour.ts'
import { behavioursOf } from '../../harness/behaviour.ts'
import { PORTS, withOtherHost } from '../../harness/other-host.ts'

const suite = behavioursOf('custom-routes')

const AT = '/library/custom-routes'

/** A request that offers a WebSocket: the other host receives it, and the client the status. */
async function opensSocket(site: HttpSite): Promise<void> {
  const headers = { ...{ connection: 'Upgrade', upgrade: 'websocket' }, ...{ 'sec-websocket-key': 'c3VpdGVzIG9mIHBvcnQ=', 'sec-websocket-version': '13' } }
  await withOtherHost(PORTS.http, async (seen) => {
    const received = await new Promise((done) => {
      request(`${site.origin}${AT}/lent/socket?of=anna`, { headers, timeout: 2000 })
        .on('response', (response) => response.resume() && done(response.statusCode))
        .on('upgrade', (response, socket) => socket.destroy() && done(response.statusCode))
        .on('error', done)
        .on('timeout', () => done('late'))
        .end()
    })
    expect(received).toBe(101)
    expect(seen.map(({ url }) => url)).toEqual(['/socket?of=anna'])
  })
}

export const otherHostBehaviours: readonly Behaviour[] = [
  suite.overHttp(2, 'opens a WebSocket of another host', opensSocket, { configuration: 'other-hosts' }),
  suite.inBrowser(
    6,
    'shows another host instead of a page, and after a link to that page',
    async (site) => {
      await withOtherHost(PORTS.browser, async () => {
        expect(await site.text(`${AT}/terrace`)).toBe('<h1>Another host</h1>')
        await site.open('/library/desk')
        await site.page.click('#terrace')
        await site.page.getByRole('heading', { name: 'Another host' }).waitFor()
        expect(site.address()).toBe(`${AT}/terrace`)
      })
    },
    { configuration: 'other-hosts' },
  ),
  suite.overHttp(
    12,
    'responds with an error when another host takes no connection',
    async (site) => {
      const { status } = await site.fetch(`${AT}/nowhere`, { signal: AbortSignal.timeout(4000) })
      // Next.js sends 500, a gateway 502 (RFC 9110 section 15.6.3).
      expect([500, 502]).toContain(status)
    },
    { configuration: 'other-hosts' },
  ),
  suite.overHttp(
    57,
    'sends path and query to another host, and names its own host there',
    async (site) => {
      await withOtherHost(PORTS.http, async (seen) => {
        const response = await site.fetch(`${AT}/lent/book?of=anna&to=otto`)
        expect(response.status).toBe(200)
        expect(await response.text()).toBe('<h1>Another host</h1>')
        const [{ url, headers } = { url: '', headers: {} }, ...more] = seen
        expect(more).toEqual([])
        const { pathname, searchParams } = new URL(url ?? '', site.origin)
        expect(pathname).toBe('/book')
        expect(Object.fromEntries(searchParams)).toEqual({ of: 'anna', to: 'otto' })
        expect(headers.host).toBe(`127.0.0.1:${PORTS.http}`)
        expect(headers['x-forwarded-host']).toBe(new URL(site.origin).host)
      })
    },
    { configuration: 'other-hosts' },
  ),
]
