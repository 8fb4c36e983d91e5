// Middleware of Next.js: what it receives, and what its result becomes.

import { expect, test } from 'vitest'
import { type NextFetchEvent, type NextRequest, NextResponse } from '../server.ts'
import { nextMiddleware } from './middleware.ts'

test('X15 middleware of Next.js receives NextRequest and NextFetchEvent', async () => {
  const work = Promise.resolve()
  const waited: unknown[] = []
  const middleware = nextMiddleware(async () => (request: NextRequest, event: NextFetchEvent) => {
    event.waitUntil(work)
    const { nextUrl, cookies } = request
    expect([nextUrl.pathname, nextUrl.basePath, nextUrl.buildId, cookies.get('a')?.value]).toEqual([
      '/a',
      '/base',
      '',
      '1',
    ])
    const to = nextUrl.clone()
    to.pathname = '/c'
    const headers = new Headers(request.headers)
    headers.set('x-d', 'e')
    const response = NextResponse.rewrite(to, { request: { headers } })
    response.cookies.set('f', 'g')
    return response
  })
  const result = await middleware({
    method: 'GET',
    url: 'https://site.test/base/a?b=1',
    headers: { cookie: 'a=1', 'user-agent': 'test' },
    basePath: '/base',
    trailingSlash: false,
    signal: new AbortController().signal,
    waitUntil: (promise) => void waited.push(promise),
  })
  expect(waited).toEqual([work])
  expect(Object.fromEntries(result?.headers ?? [])).toEqual({
    'x-middleware-rewrite': 'https://site.test/base/c?b=1',
    'x-middleware-override-headers': 'cookie,user-agent,x-d',
    'x-middleware-request-cookie': 'a=1',
    'x-middleware-request-user-agent': 'test',
    'x-middleware-request-x-d': 'e',
    'set-cookie': 'f=g; Path=/',
  })
})
