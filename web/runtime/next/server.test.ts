// The module `next/server`: request, response, cookies, and what is refused (X7).

import { describe, expect, test } from 'vitest'
import { runWithContext } from '../server/request-context.ts'
import { after, NextRequest, NextResponse, URLPattern, userAgent, userAgentFromString } from './server.ts'

const ADDRESS = 'https://site.test/a?b=1'

describe('NextRequest', () => {
  test('X7 has the URL, and the cookies of its header, which a change is written to', () => {
    const request = new NextRequest(ADDRESS, { headers: { cookie: 'c=%20x; d=2' } })
    expect(request).toBeInstanceOf(Request)
    expect([request.nextUrl.pathname, request.nextUrl.clone().searchParams.get('b')]).toEqual(['/a', '1'])
    const { cookies } = request
    expect([cookies.get('c'), cookies.get('none'), cookies.has('d'), cookies.size]).toEqual([
      { name: 'c', value: ' x' },
      undefined,
      true,
      2,
    ])
    expect(cookies.getAll('d')).toEqual([{ name: 'd', value: '2' }])
    expect([...cookies].map(([name]) => name)).toEqual(['c', 'd'])
    cookies.set('e', 'é').set({ name: 'd', value: '3' })
    expect([cookies.delete('c'), cookies.delete(['c', 'none'])]).toEqual([true, [false, false]])
    expect(request.headers.get('cookie')).toBe('d=3; e=%C3%A9')
    expect(cookies.clear().getAll()).toEqual([])
    expect(request.headers.has('cookie')).toBe(false)
  })

  test('X7 nextUrl has the path without basePath, which href keeps', () => {
    const nextConfig = { basePath: '/base' }
    const { nextUrl } = new NextRequest('https://site.test/base/a?b=1', { nextConfig })
    expect([nextUrl.pathname, nextUrl.basePath, nextUrl.search]).toEqual(['/a', '/base', '?b=1'])
    const other = nextUrl.clone()
    other.pathname = '/c'
    expect([other.href, String(nextUrl)]).toEqual(['https://site.test/base/c?b=1', 'https://site.test/base/a?b=1'])
    expect(NextResponse.redirect(other).headers.get('location')).toBe('https://site.test/base/c?b=1')
    other.pathname = '/'
    expect([other.pathname, other.href]).toEqual(['/', 'https://site.test/base?b=1'])
    other.basePath = 'next'
    expect([other.pathname, other.href]).toEqual(['/', 'https://site.test/next?b=1'])
    const outside = new NextRequest('https://site.test/basement', { nextConfig }).nextUrl
    expect([outside.pathname, outside.basePath]).toEqual(['/basement', ''])
  })

  test('X7 is made of a Request with its body, and of a stream', async () => {
    const made = new NextRequest(new Request(ADDRESS, { method: 'POST', body: 'text' }))
    expect([made.method, made.nextUrl.search, await made.text()]).toEqual(['POST', '?b=1', 'text'])
    const stream = new NextRequest(ADDRESS, { method: 'PUT', body: new Blob(['b']).stream() })
    expect(await stream.text()).toBe('b')
  })
})

describe('NextResponse', () => {
  test('X7 sends JSON and redirects, with headers and cookies', async () => {
    const json = NextResponse.json({ a: 1 }, { status: 201, headers: { 'x-a': 'b' } })
    json.cookies.set('a', 'x y', { httpOnly: true, maxAge: 60 }).set({ name: 'b', value: 'p/2', path: '/p' })
    json.cookies.set('a', 'z', { expires: 0 })
    expect(json).toBeInstanceOf(Response)
    expect([json.status, json.headers.get('x-a'), json.headers.get('content-type')]).toEqual([
      201,
      'b',
      'application/json',
    ])
    expect(json.headers.getSetCookie()).toEqual([
      'a=z; Path=/; Expires=Thu, 01 Jan 1970 00:00:00 GMT',
      'b=p%2F2; Path=/p',
    ])
    expect(await json.json()).toEqual({ a: 1 })
    json.cookies.delete('b')
    expect(json.cookies.get('b')).toMatchObject({ value: '', expires: 0 })
    const redirect = NextResponse.redirect(new URL('/there', ADDRESS))
    expect([redirect.status, redirect.headers.get('location')]).toEqual([307, 'https://site.test/there'])
    expect(NextResponse.redirect(ADDRESS, 303).status).toBe(303)
    const own = NextResponse.redirect(ADDRESS, { status: 308, headers: { 'x-a': 'b' } })
    expect([own.status, own.headers.get('x-a')]).toEqual([308, 'b'])
  })

  test('X7 keeps the cookies of its headers', () => {
    const response = new NextResponse(null, {
      headers: [
        ['set-cookie', 'a=1; Path=/x'],
        ['set-cookie', 'b=2'],
      ],
    })
    response.cookies.set('c', '3/4')
    expect(response.cookies.getAll().map(({ name }) => name)).toEqual(['a', 'b', 'c'])
    expect(response.headers.getSetCookie()).toEqual(['a=1; Path=/x', 'b=2', 'c=3%2F4; Path=/'])
  })

  test('X7 refuses relative addresses, other statuses, and headers of another kind', () => {
    expect(() => NextResponse.redirect('/there')).toThrow('url="/there" must be an absolute URL')
    expect(() => NextResponse.redirect(ADDRESS, 200)).toThrow('status=200 is not allowed')
    expect(() => NextResponse.rewrite('/there')).toThrow('url="/there" must be an absolute URL')
    const request = { headers: { a: 'b' } as unknown as Headers }
    expect(() => NextResponse.next({ request })).toThrow('request.headers must be an instance of Headers')
  })
})

test('F1 after takes a promise or a function', async () => {
  const tasks: unknown[] = []
  const context = { name: '/api/x', after: (_name: string, run: () => unknown) => void tasks.push(run) }
  // The test needs no other member.
  runWithContext(context as never, () => {
    after(() => 1)
    after(Promise.reject(new Error('late')))
  })
  expect(tasks).toHaveLength(2)
  expect(() => after(() => 1)).toThrow('after()')
})

test('X7 userAgent names browser, system, device and crawlers', () => {
  const chrome =
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36'
  expect(userAgent({ headers: new Headers({ 'user-agent': chrome }) })).toMatchObject({
    isBot: false,
    browser: { name: 'Chrome', version: '140.0.0.0', major: '140' },
    engine: { name: 'Blink' },
    os: { name: 'Windows', version: '10' },
    device: {},
    cpu: { architecture: 'amd64' },
  })
  const phone =
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1'
  expect(userAgentFromString(phone)).toMatchObject({
    browser: { name: 'Mobile Safari', major: '18' },
    os: { name: 'iOS', version: '18.1' },
    device: { type: 'mobile', vendor: 'Apple', model: 'iPhone' },
  })
  expect(userAgentFromString('Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)').isBot).toBe(
    true,
  )
  expect(userAgentFromString(undefined)).toMatchObject({ isBot: false, ua: '', browser: {} })
  expect(new URLPattern({ pathname: '/a/:b' }).exec(ADDRESS.replace('/a?', '/a/c?'))?.pathname.groups).toEqual({
    b: 'c',
  })
})
