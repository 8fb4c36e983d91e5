// A page whose request has the question about middleware with it: middleware first, then the page or the verdict.

import { connect } from 'node:net'
import { redirect } from '@portico/shared/wire/errors/control-flow.ts'
import type { Middleware, MiddlewareInput } from '@portico/shared/wire/middleware/middleware-function.ts'
import { beforeEach, expect, it } from 'vitest'
import { testSite } from '../testing/site.ts'
import { rendererForTests, shownProps } from '../testing/start-renderer.ts'

const MARK = 'portico-internal-verdict'
let middleware: Middleware = async () => null
let rendered: string[] = []
const under = rendererForTests({ semantics: { dataUrls: true }, middleware: (input) => middleware(input) })
testSite.data.one = ({ req, query }) => {
  rendered.push(req.url)
  if (query.fails) throw new Error('broken page')
  return { props: { headers: req.headers } }
}
beforeEach(() => {
  rendered = []
})

const get = (path: string, question: object = {}, headers: Record<string, string> = {}) => {
  const { buildId } = under.renderer.manifest
  const passed = JSON.stringify({ question: { build: buildId, url: '/data/one', ...question } })
  const own = { host: 'site.example', 'x-forwarded-proto': 'https', 'portico-internal-route': passed }
  return under.renderer.request(path, { headers: { ...own, ...headers } })
}
const protocol = (headers: Record<string, string>): Middleware => {
  return async () => new Response(null, { headers: { 'x-middleware-next': '1', ...headers } })
}

it('X15 the page that middleware lets pass has the verdict with it, and reads the headers that middleware set', async () => {
  const inputs: MiddlewareInput[] = []
  middleware = async (input) => {
    inputs.push(input)
    const names = Object.keys(input.headers).filter((name) => name !== 'x-secret')
    const given = Object.fromEntries(names.map((name) => [`x-middleware-request-${name}`, input.headers[name]!]))
    return new Response(null, {
      headers: {
        ...given,
        'x-middleware-next': '1',
        'x-middleware-override-headers': [...names, 'x-user'].join(),
        'x-middleware-request-x-user': '\u00e9',
        'set-cookie': 'a=1',
      },
    })
  }
  const headers = { cookie: 'b=2', 'x-secret': 's', connection: 'keep-alive' }
  const page = await get('/data/one', {}, headers)
  expect(page.status).toBe(200)
  expect(JSON.parse(String(page.headers[MARK]))).toEqual({
    kind: 'next',
    requestHeaders: { set: { 'x-user': '\u00e9' }, remove: ['x-secret'] },
    responseHeaders: [['set-cookie', 'a=1']],
  })
  expect(page.headers['set-cookie']).toBeUndefined()
  const { headers: read } = shownProps(page) as { headers: Record<string, string> }
  expect([read['x-user'], read['x-secret'], read.cookie]).toEqual(['\u00e9', undefined, 'b=2'])
  expect(inputs).toMatchObject([{ method: 'GET', url: 'https://site.example/data/one', headers: { cookie: 'b=2' } }])
  // A header of the connection between gateway and renderer.
  expect(inputs[0]!.headers.connection).toBeUndefined()
  for (const seen of [inputs[0]!.headers, read])
    for (const name of Object.keys(seen)) expect(name).not.toMatch(/^portico-internal-/)
})

it('X15 W2 page data, screens of errors and 404 of a page have the verdict, too', async () => {
  middleware = protocol({ 'x-a': 'b' })
  const { buildId } = under.renderer.manifest
  for (const [path, status] of [
    [`/_portico/data/${buildId}/data/one.json`, 200],
    [`/_next/data/${buildId}/data/one.json`, 200],
    ['/data/one?fails=1', 500],
    [`/_portico/data/${buildId}/data/one.json?fails=1`, 500],
  ] as const) {
    const { status: shown, headers } = await get(path, { dataBuild: buildId })
    expect([path, shown]).toEqual([path, status])
    expect(JSON.parse(String(headers[MARK]))).toEqual({ kind: 'next', responseHeaders: [['x-a', 'b']] })
  }
})

it.each<[string, Middleware, object]>([
  ['a redirect', async () => redirect('/log-in'), { kind: 'redirect', location: '/log-in' }],
  ['a response', async () => new Response('no', { status: 401 }), { kind: 'response', status: 401, body: 'bm8=' }],
  [
    'a rewrite',
    async () => new Response(null, { headers: { 'x-middleware-rewrite': '/data/two' } }),
    { kind: 'rewrite', target: '/data/two' },
  ],
  ['headers that are too long for one', protocol({ 'x-a': 'a'.repeat(4096) }), { kind: 'next' }],
])('X15 %s takes the place of the page', async (_what, decide, verdict) => {
  middleware = decide
  const { status, headers, body } = await get('/data/one')
  expect([status, headers[MARK], headers['content-length']]).toEqual([200, 'body', String(body.length)])
  expect(JSON.parse(body)).toMatchObject(verdict)
  expect(rendered).toEqual([])
})

it('X15 W11 no page and no verdict for a question of another build, or of another shape', async () => {
  middleware = async () => null
  for (const question of [{ build: 'other' }, { url: 'https://evil.example/' }, { url: 1 }, { dataBuild: 1 }]) {
    const { status, headers } = await get('/data/one', question)
    expect([status, headers[MARK]]).toEqual([400, undefined])
  }
  for (const passed of ['x', '{"question":"x"}']) {
    const { status, headers } = await get('/data/one', {}, { 'portico-internal-route': passed })
    expect([status, headers[MARK], rendered]).toEqual([503, undefined, []])
  }
})

it('X15 E4 middleware that fails is an error with its digest, and no page', async () => {
  middleware = async () => {
    throw new Error('broken guard')
  }
  const { status, headers } = await get('/data/one')
  expect([status, headers[MARK], rendered]).toEqual([500, undefined, []])
  expect(under.renderer.errors.at(-1)).toMatchObject({
    digest: headers['portico-internal-digest'],
    error: { message: 'broken guard' },
  })
})

it('X15 G3 nothing of a guarded path for a gateway that does not say that middleware of this build has decided', async () => {
  middleware = async () => redirect('/log-in')
  const { buildId } = under.renderer.manifest
  const own = { host: 'site.example', 'x-forwarded-proto': 'https' }
  const data = [`/_portico/data/${buildId}/data/one.json`, `/_next/data/${buildId}/data/one.json`]
  for (const build of [undefined, 'other']) {
    const headers = {
      ...own,
      'portico-internal-route': JSON.stringify({ guard: build, moved: '/data/one' }),
    }
    const expected: [string, number][] = [
      ['/data/one', 503],
      ['/nowhere', 503],
      ...data.map((each): [string, number] => [each, 404]),
    ]
    for (const [path, status] of expected) {
      const { body, ...response } = await under.renderer.request(path, { headers })
      expect([path, response.status, response.headers['retry-after']]).toEqual([
        path,
        status,
        status === 503 ? '1' : undefined,
      ])
      if (status === 404) expect(body).toBe('{"kind":"foreign-build"}')
    }
  }
  expect(rendered).toEqual([])
  const { status } = await under.renderer.request('/data/one', {
    headers: { ...own, 'portico-internal-route': JSON.stringify({ guard: buildId }) },
  })
  expect([status, rendered]).toEqual([200, ['/data/one']])
})

it('L3 X15 renders no page whose client left while middleware ran', async () => {
  const running = Promise.withResolvers<void>()
  const left = Promise.withResolvers<void>()
  const decided = Promise.withResolvers<void>()
  middleware = async ({ signal }) => {
    signal.addEventListener('abort', () => left.resolve())
    running.resolve()
    await decided.promise
    return new Response(null, { headers: { 'x-middleware-next': '1' } })
  }
  const { manifest, port } = under.renderer
  const passed = JSON.stringify({ question: { build: manifest.buildId, url: '/data/one' } })
  const head = `GET /data/one?left HTTP/1.1\r\nHost: a\r\nportico-internal-route: ${passed}\r\n\r\n`
  const client = connect(port, '127.0.0.1', () => client.write(head))
  await running.promise
  client.destroy()
  await left.promise
  decided.resolve()
  middleware = protocol({})
  await get('/data/one?stayed')
  expect(rendered).toEqual(['/data/one?stayed'])
})
