import { forbidden, notFound, redirect } from '@portico/shared/wire/errors/control-flow.ts'
import type { Middleware, MiddlewareInput } from '@portico/shared/wire/middleware/middleware-function.ts'
import { expect, it } from 'vitest'
import { rendererForTests } from '../testing/start-renderer.ts'

let middleware: Middleware = async () => null
const reported: unknown[][] = []
const under = rendererForTests({
  semantics: { dataHeader: true },
  middleware: (input) => middleware(input),
  onRequestError: (error, { url, method, headers }, context) =>
    void reported.push([error, url, method, headers.cookie, context]),
})

const ask = async (question: object = {}) => {
  const { buildId } = under.renderer.manifest
  const headers = { host: 'site.example', 'x-forwarded-proto': 'https', cookie: 'a=1' }
  const sent = { build: buildId, method: 'GET', url: '/data/one?x=1', headers, ...question }
  const { status, body, headers: given } = await under.renderer.requestInner('/internal/middleware', sent)
  return { status, headers: given, verdict: JSON.parse(body) }
}

it('X15 W11 middleware receives method, address and headers, and its verdict is sent', async () => {
  const inputs: MiddlewareInput[] = []
  middleware = async (input) => {
    inputs.push(input)
    return new Response('no', { status: 401, headers: { 'content-type': 'text/plain' } })
  }
  expect(await ask({ method: 'DELETE', dataBuild: 'b1' })).toMatchObject({
    status: 200,
    verdict: { kind: 'response', status: 401, body: 'bm8=', responseHeaders: [['content-type', 'text/plain']] },
  })
  expect(inputs).toMatchObject([
    { method: 'DELETE', url: 'https://site.example/data/one?x=1', headers: { cookie: 'a=1' }, buildId: 'b1' },
  ])
})

it('X15 redirect(), notFound() and forbidden() of portico are verdicts', async () => {
  middleware = async () => redirect('/log-in', 303)
  expect((await ask()).verdict).toMatchObject({ kind: 'redirect', status: 303, location: '/log-in' })
  middleware = async () => redirect('/café?q=ü')
  expect((await ask()).verdict).toMatchObject({ status: 307, location: '/caf%C3%A9?q=%C3%BC' })
  middleware = async () => notFound()
  expect((await ask()).verdict).toEqual({ kind: 'refused', status: 404, responseHeaders: [] })
  middleware = async () => forbidden()
  const { verdict } = await ask()
  expect(verdict).toMatchObject({ kind: 'refused', status: 403, document: expect.stringContaining('403') })
  expect(verdict.responseHeaders[0][0]).toBe('content-security-policy')
  expect((await ask({ dataBuild: 'b1' })).verdict).toEqual({ kind: 'refused', status: 403, responseHeaders: [] })
})

it('X15 X16 an error is one log line with the digest that the gateway receives, is reported, and no verdict', async () => {
  const thrown = new Error('broken guard')
  middleware = async () => {
    throw thrown
  }
  reported.length = 0
  const { status, headers } = await ask()
  expect(status).toBe(500)
  const digest = headers['portico-internal-digest']
  expect(under.renderer.errors.at(-1)).toMatchObject({
    digest,
    msg: 'middleware failed',
    error: { message: 'broken guard' },
  })
  const context = { routePath: '/proxy', routeType: 'proxy' }
  expect(reported).toEqual([[thrown, '/data/one?x=1', 'GET', 'a=1', context]])
})

it('X15 middleware that takes too long is aborted and logged', async () => {
  let signal: AbortSignal | undefined
  middleware = (input) => {
    signal = input.signal
    return new Promise(() => {})
  }
  expect((await ask()).status).toBe(500)
  expect(signal?.aborted).toBe(true)
  expect(under.renderer.errors.at(-1)).toMatchObject({
    error: { message: 'middleware of /data/one took longer than 300 ms' },
  })
})

it('X15 a verdict that breaks a bound is an error with the rule', async () => {
  middleware = async () => new Response(null, { headers: { 'x-middleware-next': '1', 'x-a': 'a'.repeat(70_000) } })
  expect((await ask()).status).toBe(500)
  expect(under.renderer.errors.at(-1)).toMatchObject({
    error: { message: expect.stringContaining('middleware set headers of') },
  })
})

it('X15 a header of the gateway is left out, with one log line for its name', async () => {
  middleware = async () => new Response(null, { headers: { 'x-middleware-next': '1', etag: '"1"' } })
  expect((await ask()).verdict).toEqual({ kind: 'next', responseHeaders: [] })
  await ask()
  expect(under.renderer.lines.filter(({ event }) => event === 'middleware-header')).toMatchObject([{ name: 'etag' }])
})

it('X15 waitUntil is work behind the response', async () => {
  const done: string[] = []
  middleware = async ({ waitUntil }) => {
    waitUntil(new Promise<void>((resolve) => setTimeout(() => resolve(void done.push('done')), 20)))
    return null
  }
  expect((await ask()).verdict).toEqual({ kind: 'next', responseHeaders: [] })
  await under.renderer.pages.after.idle()
  expect(done).toEqual(['done'])
})

it('X15 W2 for page data middleware reads the header that libraries of Next.js know, and never that of the client', async () => {
  const inputs: MiddlewareInput[] = []
  middleware = async (input) => {
    inputs.push(input)
    return null
  }
  const headers = { host: 'site.example', 'x-nextjs-data': 'forged' }
  await ask({ headers, dataBuild: 'b1' })
  await ask({ headers })
  expect(inputs.map(({ headers }) => headers['x-nextjs-data'])).toEqual(['1', undefined])
})

it('X15 W11 a question of another build and one that is malformed are refused', async () => {
  middleware = async () => null
  expect((await ask({ build: 'other' })).status).toBe(400)
  expect((await ask({ url: 'https://evil.example/' })).status).toBe(400)
})
