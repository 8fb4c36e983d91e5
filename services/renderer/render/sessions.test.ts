// A session that page code reads or changes, through the port of the renderer.

import { dataUrl } from '@portico/shared/wire/routing/urls.ts'
import { describe, expect, test } from 'vitest'
import { type SiteImports, testSite } from '../testing/site.ts'
import { gate, rendererForTests } from '../testing/start-renderer.ts'

const under = rendererForTests()

/** Accepts every object. */
const schema = { '~standard': { version: 1, vendor: 'test', validate: (value: unknown) => ({ value }) } } as const
const sessionOf = ({ createSession }: SiteImports) => createSession({ name: 'session', schema }).read()

const get = (path: string, headers = {}) => under.renderer.request(path, { headers })
const getData = (path: string, headers = {}) => get(dataUrl('', under.renderer.manifest.buildId, path), headers)
const cookieOf = ({ headers }: { headers: Record<string, unknown> }) =>
  [headers['set-cookie'] ?? []].flat().map((line) => String(line).split(';')[0])

/** The Cookie header of a client with a session. */
async function signedIn(): Promise<{ cookie: string }> {
  testSite.data.enter = async (_context, given) => {
    await (await sessionOf(given)).update({ member: 'ida' })
    return { props: {} }
  }
  return { cookie: cookieOf(await get('/data/enter')).join() }
}

describe('a page that reads the session', () => {
  test('A5 has the data of the client, in the document and in page data', async () => {
    testSite.data.me = async (_context, given) => ({ props: { ...(await sessionOf(given)).data } })
    const client = await signedIn()
    expect((await get('/data/me', client)).body).toContain('{&quot;member&quot;:&quot;ida&quot;}')
    expect(JSON.parse((await getData('/data/me', client)).body).props).toEqual({ member: 'ida' })
    expect(JSON.parse((await getData('/data/me')).body).props).toEqual({})
    expect(JSON.parse((await getData('/data/me', { cookie: `${client.cookie}x` })).body).props).toEqual({})
  })

  test('A5 shows a member no message of a session that was planted before the log-in (fixation)', async () => {
    testSite.data.plant = async (_context, given) => {
      const session = await sessionOf(given)
      await session.update({ member: 'eve', visits: 7 })
      session.flash('planted')
      return { props: {} }
    }
    testSite.data['log-in'] = async (_context, given) => {
      const session = await sessionOf(given)
      await session.regenerate({ member: 'ida' })
      session.flash('Welcome')
      return { props: {} }
    }
    testSite.data.account = async (_context, given) => {
      const session = await sessionOf(given)
      return { props: { ...session.data, messages: session.takeFlash() } }
    }
    const planted = { cookie: cookieOf(await get('/data/plant')).join() }
    const member = { cookie: cookieOf(await get('/data/log-in', planted)).join() }
    expect(JSON.parse((await getData('/data/account', member)).body).props).toEqual({
      member: 'ida',
      messages: ['Welcome'],
    })
  })

  test('C1 is kept by no cache, whatever its headers say', async () => {
    const headers: [string, string][] = [
      ['Cache-Control', 'public, s-maxage=60'],
      ['CDN-Cache-Control', 'max-age=60'],
      ['ETag', '"x"'],
    ]
    testSite.data.shared = async ({ res }, given) => {
      for (const [name, value] of headers) res.setHeader(name, value)
      return { props: { ...(await sessionOf(given)).data } }
    }
    for (const response of [await get('/data/shared'), await getData('/data/shared', await signedIn())]) {
      expect(response.headers['cache-control']).toBe('private, no-store')
      expect([response.headers['cdn-cache-control'], response.headers.etag]).toEqual([undefined, undefined])
    }
  })

  test('C1 is not read after the head of a response that caches may keep', async () => {
    const sent = gate()
    let late: Promise<unknown> = Promise.resolve()
    testSite.data.late = ({ res }, given) => {
      res.setHeader('Cache-Control', 'public, max-age=60')
      late = sent.opened.then(() => sessionOf(given))
      return { props: {} }
    }
    expect((await get('/data/late')).headers['cache-control']).toBe('public, max-age=60')
    sent.open(undefined)
    await expect(late).rejects.toThrow('/data/[name]: the session was first read after the head')
  })

  test('P4 drops what browsers have prefetched when the session changes, and only then', async () => {
    const change: Record<string, (session: Awaited<ReturnType<typeof sessionOf>>) => unknown> = {
      read: () => {},
      update: (session) => session.update({ n: 1 }),
      regenerate: (session) => session.regenerate({ member: 'ole' }),
      destroy: (session) => session.destroy(),
    }
    const client = await signedIn()
    for (const [name, run] of Object.entries(change)) {
      for (const [kind, result] of [
        ['props', { props: {} }],
        ['redirect', { redirect: { destination: '/about', permanent: false } }],
        ['notFound', { notFound: true }],
      ] as const) {
        testSite.data.change = async (_context, given) => {
          await run(await sessionOf(given))
          return result
        }
        const { headers } = await getData('/data/change', client)
        expect(headers['portico-session'], `${name} ${kind}`).toBe(name === 'read' ? undefined : 'changed')
      }
    }
  })

  test('C1 throws in getStaticProps, by name', async () => {
    testSite.shared.session = async (_context, given) => ({ props: { ...(await sessionOf(given)).data } })
    expect((await get('/shared/session', await signedIn())).status).toBe(500)
    expect(JSON.stringify(under.renderer.errors)).toContain('which is rendered once for all visitors')
  })
})
