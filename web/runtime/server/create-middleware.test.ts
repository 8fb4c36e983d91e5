// Middleware of a site: what it receives, and what its result becomes.

import type { RequestContext } from '@portico/shared/wire/bundles.ts'
import type { MiddlewareInput } from '@portico/shared/wire/middleware/middleware-function.ts'
import { expect, test } from 'vitest'
import { createMiddleware } from './create-middleware.ts'
import { next, rewrite } from './middleware-steps.ts'
import { runWithContext } from './request-context.ts'

const HEADERS = { cookie: 'a=1', 'user-agent': 'test' }
const INPUT: MiddlewareInput = {
  method: 'GET',
  url: 'https://site.test/base/a?b=1',
  headers: HEADERS,
  basePath: '/base',
  trailingSlash: false,
  signal: new AbortController().signal,
  waitUntil: () => {},
}

function run(site: (...args: never[]) => unknown, input: Partial<MiddlewareInput> = {}) {
  const context = {
    kind: 'middleware',
    name: 'middleware',
    headers: HEADERS,
    cookies: { a: '1' },
    setCookies: [],
    origin: 'https://site.test',
  }
  // The test needs no other member.
  return runWithContext(context as unknown as RequestContext, () =>
    createMiddleware(async () => site)({ ...INPUT, ...input }),
  )
}

const headersOf = (response: Response | null | undefined) => Object.fromEntries(response?.headers ?? [])

test('X15 receives a web Request, and nothing returned lets the request continue', async () => {
  const seen: string[] = []
  const result = await run((request: Request) => {
    seen.push(request.method, request.url, request.headers.get('cookie') ?? '')
  })
  expect([result, ...seen]).toEqual([undefined, 'GET', 'https://site.test/base/a?b=1', 'a=1'])
})

test('X15 next() sets and removes headers of the request, and keeps the others', async () => {
  const result = await run(() => next({ requestHeaders: { 'X-A': 'b', 'user-agent': null }, headers: { 'x-c': 'd' } }))
  expect(headersOf(result)).toEqual({
    'x-middleware-next': '1',
    'x-middleware-override-headers': 'cookie,x-a',
    'x-middleware-request-cookie': 'a=1',
    'x-middleware-request-x-a': 'b',
    'x-c': 'd',
  })
})

test('X15 rewrite() leads to a path below basePath, or to an origin that is written in full', async () => {
  const targetOf = async (to: string | URL) => headersOf(await run(() => rewrite(to)))['x-middleware-rewrite']
  expect(await targetOf('/c?d=1')).toBe('https://site.test/base/c?d=1')
  expect(await targetOf(new URL('https://other.test/c'))).toBe('https://other.test/c')
  await expect(run(() => rewrite('c'))).rejects.toThrow('rewrite("c"): must be a path')
  for (const path of ['//other.test', '/\\other.test'])
    await expect(run(() => rewrite(path))).rejects.toThrow('must be a path')
  const result = await run(() => rewrite('/\t/other.test'), { basePath: '' })
  expect(headersOf(result)['x-middleware-rewrite']).toBe('https://site.test//other.test')
})

test('X15 a body and other results are errors that say so', async () => {
  await expect(run((request: Request) => request.json(), { method: 'POST' })).rejects.toThrow(
    'request.json() in middleware: middleware receives no body',
  )
  await expect(run(() => ({ status: 401 }))).rejects.toThrow(
    'middleware must return a Response, next(), rewrite() or nothing',
  )
  await expect(run(undefined as never)).rejects.toThrow('middleware must export a function')
})
