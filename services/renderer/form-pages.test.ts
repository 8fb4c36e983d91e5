// Bodies that getServerSideProps reads itself in compatibility mode, through the public and the inner port (X7).

import { once } from 'node:events'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { expect, test } from 'vitest'
import { testSite } from './testing/site.ts'
import { rendererForTests, shownProps } from './testing/start-renderer.ts'

const under = rendererForTests({
  semantics: { unknownMethods: true },
  readsBodies: { crossOrigin: '/suspends/[name]' },
  dataTimeoutMs: 300,
})

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }
const OWN = { ...FORM, 'sec-fetch-site': 'same-origin' }

/** The test's context declares what most tests read of the request. */
const streamOf = (req: unknown) => req as IncomingMessage & { cookies: unknown }

async function readBody(req: unknown): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of streamOf(req)) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

const echo = async ({ req }: { req: { method: string; headers: Record<string, string> } }) => ({
  props: {
    method: req.method,
    type: req.headers['content-type'] ?? null,
    body: (await readBody(req)).toString('latin1'),
  },
})

test('X7 E6 getServerSideProps reads the raw body of every method, and the page is sent with its status', async () => {
  testSite.data.echo = async (context) => {
    context.res.statusCode = 422
    return echo(context)
  }
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
    const response = await under.renderer.request('/data/echo', {
      method,
      headers: { ...OWN, 'content-length': '12' },
      body: 'name=%FF&a=1',
    })
    expect([method, response.status]).toEqual([method, 422])
    expect(shownProps(response)).toMatchObject({ method, type: FORM['content-type'], body: 'name=%FF&a=1' })
    expect(response.headers['cache-control']).toBe('private, no-store')
  }
  // Next.js gives the same stream to a GET, which has no body.
  expect(shownProps(await under.renderer.request('/data/echo'))).toMatchObject({ method: 'GET', body: '' })
})

test('X7 the request emits the events of its stream, and shows the client of its socket', async () => {
  testSite.data.events = async ({ req }) => {
    const stream = streamOf(req)
    let length = 0
    stream.on('data', (chunk: Buffer) => {
      length += chunk.length
    })
    await once(stream, 'end')
    const { url, cookies, socket } = stream
    return { props: { length, url, cookies, address: socket.remoteAddress, isComplete: stream.complete } }
  }
  const headers = { ...OWN, cookie: 'a=1', 'x-forwarded-for': '192.0.2.7' }
  const response = await under.renderer.request('/data/events?q=1', {
    method: 'POST',
    headers,
    body: 'x'.repeat(300_000),
  })
  const seen = { length: 300_000, url: '/data/events?q=1', cookies: { a: '1' }, address: '192.0.2.7', isComplete: true }
  expect(shownProps(response)).toMatchObject(seen)
})

test('D2 no cache keeps the response to a body, whatever headers the page sets', async () => {
  testSite.data.shared = ({ res }) => {
    res.setHeader('Cache-Control', 'public, s-maxage=60')
    return { props: {} }
  }
  const cacheControl = async (method: string) =>
    (await under.renderer.request('/data/shared', { method, headers: OWN })).headers['cache-control']
  expect([await cacheControl('GET'), await cacheControl('POST')]).toEqual(['public, s-maxage=60', 'private, no-store'])
})

test('A4 a request of another site is refused before the page runs, unless the page takes requests of other sites', async () => {
  let runs = 0
  testSite.data.count = () => {
    runs++
    return { props: { gate: 'none' } }
  }
  testSite.gates.none = Promise.resolve('open')
  const statusOf = async (path: string, headers: Record<string, string>, method = 'POST') =>
    (
      await under.renderer.request(path, {
        method,
        headers: { ...FORM, 'content-length': '3', ...headers },
        body: 'a=1',
      })
    ).status
  expect(await statusOf('/data/count', { 'sec-fetch-site': 'cross-site' })).toBe(403)
  expect(await statusOf('/data/count', { 'sec-fetch-site': 'same-site' }, 'DELETE')).toBe(403)
  expect(await statusOf('/data/count', { origin: 'https://evil.test' })).toBe(403)
  expect(await statusOf('/data/count', { cookie: 'session=1' })).toBe(403)
  expect(runs).toBe(0)
  // A program without cookies, a preflight, and a page with crossOrigin.
  expect(await statusOf('/data/count', {})).toBe(200)
  expect(await statusOf('/data/count', { 'sec-fetch-site': 'cross-site' }, 'OPTIONS')).toBe(200)
  expect(await statusOf('/suspends/count', { 'sec-fetch-site': 'cross-site', cookie: 'session=1' })).toBe(200)
  expect(runs).toBe(3)
})

test('X7 D2 a page without getServerSideProps is sent to a form of any site as to a GET, and no cache keeps the response', async () => {
  testSite.shared.fixed = () => ({ props: { name: 'fixed' } })
  for (const path of ['/about', '/shared/fixed']) {
    const { status, headers, body } = await under.renderer.request(path)
    const ifNoneMatch = { 'if-none-match': headers.etag ?? '' }
    for (const type of [FORM['content-type'], 'multipart/form-data; boundary=x']) {
      const sent = { 'content-type': type, 'sec-fetch-site': 'cross-site', ...ifNoneMatch }
      const posted = await under.renderer.request(path, { method: 'POST', headers: sent, body: 'a=1' })
      expect([path, posted.status, posted.body === body]).toEqual([path, status, true])
      expect([posted.headers['cache-control'], posted.headers.etag]).toEqual(['private, no-store', undefined])
    }
  }
})

test('E6 other bodies and methods for pages without getServerSideProps, and page data, are 405', async () => {
  const { buildId } = under.renderer.manifest
  const refuses = async (path: string, method: string, headers: Record<string, string>) => {
    const response = await under.renderer.request(path, { method, headers, body: 'a=1' })
    expect([path, response.status, response.headers.allow]).toEqual([path, 405, 'GET, HEAD'])
  }
  await refuses(`/_portico/data/${buildId}/data/echo.json`, 'POST', OWN)
  for (const path of ['/about', '/shared/x']) {
    await refuses(path, 'POST', { ...OWN, 'content-type': 'application/json' })
    await refuses(path, 'PUT', OWN)
  }
  expect((await under.renderer.request('/data/echo', { method: 'TRACE' })).status).toBe(405)
})

test('X7 R3 an address without a page is 404 for every method, with the page for it, also for another site', async () => {
  const { body } = await under.renderer.request('/nothing/here')
  for (const [method, type] of [
    ['POST', FORM['content-type']],
    ['POST', 'application/json'],
    ['PUT', 'text/plain'],
  ]) {
    const headers = { 'content-type': type!, 'sec-fetch-site': 'cross-site' }
    const posted = await under.renderer.request('/nothing/here', { method: method!, headers, body: 'a=1' })
    expect([posted.status, posted.headers['cache-control']]).toEqual([404, 'private, no-store'])
    expect(posted.body).toBe(body)
  }
  expect((await under.renderer.request('/nothing/here', { method: 'TRACE' })).status).toBe(405)
})

test('A7 the time limit of the page counts from the end of the body', async () => {
  testSite.data.slow = (context) => echo(context)
  const sending = httpRequest({
    port: under.renderer.port,
    path: '/data/slow',
    method: 'POST',
    headers: OWN,
    agent: false,
  })
  sending.write('a=')
  // Longer than the time limit of this test's renderer.
  await new Promise((done) => setTimeout(done, 600))
  sending.end('1')
  const [response] = (await once(sending, 'response')) as [IncomingMessage]
  expect(response.statusCode).toBe(200)
  expect((await readBody(response)).toString()).toContain('a=1')
})

test('A7 the time limit ends a page that does not read the body, while the client sends it', async () => {
  testSite.data.deaf = () => new Promise(() => {})
  const sending = httpRequest({
    port: under.renderer.port,
    path: '/data/deaf',
    method: 'POST',
    headers: OWN,
    agent: false,
  })
  sending.on('error', () => {})
  sending.write('a=')
  const [response] = (await once(sending, 'response')) as [IncomingMessage]
  expect(response.statusCode).toBe(500)
  sending.destroy()
})

test('E4 a body that ends early does not reach the end of the page, which is not rendered', async () => {
  const failed = Promise.withResolvers<unknown>()
  testSite.data.cut = async (context) => {
    // No sooner: what a client that is gone has requested is not run.
    sending.destroy()
    try {
      return await echo(context)
    } catch (error) {
      failed.resolve(error)
      throw error
    }
  }
  const headers = { ...OWN, 'content-length': 100 }
  const sending = httpRequest({ port: under.renderer.port, path: '/data/cut', method: 'POST', headers, agent: false })
  sending.on('error', () => {})
  sending.write('a=1')
  expect(await failed.promise).toMatchObject({ code: 'ECONNRESET' })
})

test('X7 W6 the inner port renders a page with the body that the actions service passes on', async () => {
  testSite.data.inner = echo
  const bytes = Buffer.from([0, 255, 13, 10, 37])
  const body = { url: '/data/inner?q=1', as: 'html', headers: OWN, posted: bytes.toString('base64') }
  const response = await under.renderer.requestInner('/internal/render', body)
  expect(shownProps(response)).toMatchObject({ method: 'POST', body: bytes.toString('latin1') })
  expect(response.headers['cache-control']).toBe('private, no-store')
  const fixed = await under.renderer.requestInner('/internal/render', { ...body, url: '/about' })
  expect([fixed.status, fixed.headers['cache-control']]).toEqual([200, 'private, no-store'])
  const missing = await under.renderer.requestInner('/internal/render', { ...body, url: '/nothing/here' })
  expect(missing.status).toBe(404)
})

test('O12 the inner port renders nothing for actions of another build, and has the build for gateways of another one', async () => {
  testSite.data.echo = echo
  const manifest = await under.renderer.getInner('/internal/build')
  const { buildId } = JSON.parse(manifest.body) as { buildId: string }
  const body = { url: '/data/echo', as: 'html', headers: OWN, posted: '' }
  const statusFor = async (build: string) => {
    const { status, headers } = await under.renderer.requestInner('/internal/render', body, { 'portico-build': build })
    return [status, headers['portico-build']]
  }
  expect(await statusFor('other')).toEqual([404, buildId])
  expect(await statusFor(buildId)).toEqual([200, buildId])
})
