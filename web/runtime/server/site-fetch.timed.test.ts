// fetch() of portico/server against a real server: who is asked, what goes along, what is tried again.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createSiteFetch } from '@portico/shared/kit/http/site-fetch.ts'
import type { RequestContext } from '@portico/shared/wire/bundles.ts'
import { isUnavailable } from '@portico/shared/wire/errors/unavailable.ts'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { runWithContext } from './request-context.ts'
import { type SiteFetchInit, siteFetch } from './site-fetch.ts'

let server: Server
let port: number
let asked: { at: number; request: IncomingMessage }[]
let answer: (response: ServerResponse, attempt: number) => void
let work: AbortController

beforeEach(async () => {
  asked = []
  work = new AbortController()
  answer = (response) => void response.end('fine')
  server = createServer((request, response) => {
    asked.push({ at: performance.now(), request })
    request.resume()
    answer(response, asked.length)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  // A TCP server that listens has an AddressInfo.
  port = (server.address() as AddressInfo).port
})

afterEach(async () => {
  vi.restoreAllMocks()
  server.closeAllConnections()
  await new Promise((done) => server.close(done))
})

function contextOf(more: Partial<RequestContext> = {}): RequestContext {
  return {
    kind: 'page',
    name: '/test',
    requestId: 'request-id-of-the-visitor',
    url: '/test',
    origin: 'https://site.example',
    headers: {},
    cookies: { session: 'a b;c' },
    setCookies: [],
    signal: work.signal,
    fetchSite: createSiteFetch({
      actionsUrl: () => `http://127.0.0.1:${port}`,
      siteUrl: () => `http://localhost:${port}`,
    }),
    ...more,
  }
}

function ask(input: string, init?: SiteFetchInit, more?: Partial<RequestContext>): Promise<Response> {
  return runWithContext(contextOf(more), () => siteFetch(input, init))
}

function gaps(): number[] {
  return asked.slice(1).map(({ at }, index) => at - asked[index]!.at)
}

function failing(times: number, headers: Record<string, string> = {}): void {
  answer = (response, attempt) => void response.writeHead(attempt <= times ? 503 : 200, headers).end('body')
}

test('D4 asks up to four times when the answer is a 5xx, with growing pauses', async () => {
  failing(3)
  for (const [random, share] of [
    [0, 0.5],
    [0.5, 1],
  ] as const) {
    asked = []
    vi.spyOn(Math, 'random').mockReturnValue(random)
    expect((await ask('/api/x')).status).toBe(200)
    expect(asked).toHaveLength(4)
    const waited = gaps()
    for (const [index, pause] of [250, 500, 1000].entries()) {
      expect(waited[index]).toBeGreaterThan(pause * share - 5)
      expect(waited[index]).toBeLessThan(pause * share + 400)
    }
  }
})

test('D4 the fourth 5xx is the answer', async () => {
  failing(9, { 'retry-after': '0' })
  const response = await ask('/api/x')
  expect([response.status, await response.text(), asked.length]).toEqual([503, 'body', 4])
})

test('D4 obeys Retry-After, and does not wait for a long one', async () => {
  failing(1, { 'retry-after': '1' })
  await ask('/api/x')
  expect(gaps()[0]).toBeGreaterThan(995)
  asked = []
  failing(1, { 'retry-after': '3600' })
  expect((await ask('/api/x')).status).toBe(503)
  expect(asked).toHaveLength(1)
})

test('D4 never repeats what may have done something, and never a 4xx', async () => {
  failing(9, { 'retry-after': '0' })
  for (const method of ['POST', 'post', 'PUT', 'PATCH', 'DELETE']) {
    asked = []
    expect((await ask('/api/x', { method, body: 'x' })).status).toBe(503)
    expect(asked, method).toHaveLength(1)
  }
  for (const method of ['HEAD', 'OPTIONS']) {
    asked = []
    await ask('/api/x', { method })
    expect(asked, method).toHaveLength(4)
  }
  asked = []
  answer = (response) => void response.writeHead(429).end()
  expect((await ask('/api/x')).status).toBe(429)
  expect(asked).toHaveLength(1)
})

test('D4 repeats a GET whose connection broke, never a POST', async () => {
  vi.spyOn(Math, 'random').mockReturnValue(0)
  answer = (response, attempt) => {
    if (attempt <= 2) response.socket?.destroy()
    else response.end('fine')
  }
  expect(await (await ask('/api/x')).text()).toBe('fine')
  expect(asked).toHaveLength(3)
  asked = []
  await expect(ask('/api/x', { method: 'POST', body: 'x' })).rejects.toThrow('the actions service did not respond')
  expect(asked).toHaveLength(1)
})

test('D4 ends with the request it is made for, also between two tries', async () => {
  answer = () => {}
  const hanging = ask('/api/x')
  await expect.poll(() => asked.length).toBe(1)
  work.abort(new Error('the visitor left'))
  await expect(hanging).rejects.toThrow('the visitor left')

  for (const who of ['visitor', 'author'] as const) {
    asked = []
    work = new AbortController()
    const own = new AbortController()
    failing(9, { 'retry-after': '5' })
    const pausing = ask('/api/x', { signal: own.signal })
    const began = performance.now()
    await expect.poll(() => asked.length).toBe(1)
    setTimeout(() => (who === 'visitor' ? work : own).abort(new Error(`the ${who} left`)), 50)
    await expect(pausing, who).rejects.toThrow()
    expect(performance.now() - began, who).toBeLessThan(3000)
    expect(asked, who).toHaveLength(1)
  }
})

test('D4 the time limit is for the headers: a body may take longer', async () => {
  answer = (response) => {
    response.write('first ')
    setTimeout(() => response.end('last'), 300)
  }
  expect(await (await ask('/api/x', { timeoutMs: 100 })).text()).toBe('first last')
  answer = () => {}
  await expect(ask('/api/x', { timeoutMs: 50, method: 'POST' })).rejects.toMatchObject({
    cause: { name: 'TimeoutError' },
  })
})

test('D4 a path of the site reaches the service that has it, with the request id', async () => {
  for (const [path, host] of [
    ['/api', `127.0.0.1:${port}`],
    ['/api/x?y=/z', `127.0.0.1:${port}`],
    ['/apiary', `localhost:${port}`],
    ['/data.json', `localhost:${port}`],
  ] as const) {
    asked = []
    await ask(path)
    expect([asked[0]?.request.headers.host, asked[0]?.request.url], path).toEqual([host, path])
    expect(asked[0]?.request.headers).toMatchObject({
      'x-request-id': 'request-id-of-the-visitor',
      'x-forwarded-host': 'site.example',
      'x-forwarded-proto': 'https',
    })
    expect(asked[0]?.request.headers.cookie).toBeUndefined()
  }
})

test('D4 the response of an API handler has no headers between services, and each of its cookies', async () => {
  answer = (response) => {
    response
      .appendHeader('set-cookie', 'a=1')
      .appendHeader('set-cookie', 'b=2')
      .setHeader('portico-internal-route', '/x')
    response.end('body')
  }
  const response = await ask('/api/x')
  expect([...response.headers.keys()].filter((name) => name.startsWith('portico-'))).toEqual([])
  expect([response.headers.getSetCookie(), await response.text()]).toEqual([['a=1', 'b=2'], 'body'])
})

test('D4 a path cannot lead to another host, whatever slashes it begins with', async () => {
  for (const path of ['/\\evil.example/x', '/\t/evil.example/x', '/\n/evil.example/x']) {
    asked = []
    await ask(path, { cookies: true })
    expect(asked[0]?.request.headers.host, path).toBe(`localhost:${port}`)
  }
})

test('D4 cookies go along when asked, to the own site only', async () => {
  await ask('/api/x', { cookies: true })
  expect(asked[0]?.request.headers.cookie).toBe('session=a%20b%3Bc')
  asked = []
  await ask(`http://127.0.0.1:${port}/other`, { cookies: true })
  const { headers } = asked[0]!.request
  expect([headers.cookie, headers['x-request-id'], headers['x-forwarded-host']]).toEqual([
    undefined,
    undefined,
    undefined,
  ])
  await expect(ask('/api/x', { cookies: true }, { kind: 'static-page', name: '/shared' })).rejects.toThrow(
    '/shared, which is rendered once for all visitors',
  )
})

test('A4 a POST to the own site says where it comes from', async () => {
  await ask('/api/x', { method: 'POST', body: '{}' })
  expect(asked[0]?.request.headers.origin).toBe('https://site.example')
})

test('D4 a path of the site needs a request', async () => {
  await expect(siteFetch('/api/x')).rejects.toThrow('can be fetched during a request only')
  expect((await siteFetch(`http://127.0.0.1:${port}/x`)).status).toBe(200)
})

test('D4 an attempt ends 200 ms before the data function, and another one follows only while time is left', async () => {
  answer = () => {}
  const started = performance.now()
  const hanging = await ask('/api/x', {}, { endsAt: started + 500 }).catch((error: unknown) => error)
  expect(performance.now() - started).toBeLessThan(490)
  expect([isUnavailable(hanging), asked.length]).toEqual([true, 1])
  expect(hanging).toMatchObject({ name: 'TimeoutError', cause: { name: 'TimeoutError' } })
  // Another host is not of the site: its error is that of fetch.
  const late = ask(`http://127.0.0.1:${port}/x`, { method: 'POST', timeoutMs: 50 })
  await expect(late).rejects.toMatchObject({ name: 'TimeoutError', message: 'no response within 50 ms' })
  vi.spyOn(Math, 'random').mockReturnValue(0)
  const again = performance.now()
  await expect(ask('/api/again', { timeoutMs: 50 }, { endsAt: again + 600 })).rejects.toThrow('did not respond')
  // 50 ms, a pause of 125 ms, 50 ms: the pause of 250 ms would end too late. A request of before may arrive only now.
  expect(asked.filter(({ request }) => request.url === '/api/again')).toHaveLength(2)
})

test('E7 only the error of an API that is away, or what it caused, is marked, and a catch gets it', async () => {
  answer = (response) => void response.socket?.destroy()
  const errorOf = (path: string, init?: SiteFetchInit) => ask(path, init).catch((error: unknown) => error)
  expect(isUnavailable(await errorOf('/api/x', { method: 'POST' }))).toBe(true)
  expect(await errorOf('/api/x', { method: 'POST' })).toMatchObject({ name: 'Error', cause: { name: 'TypeError' } })
  expect(isUnavailable(new Error('no places', { cause: await errorOf('/api/x', { method: 'POST' }) }))).toBe(true)
  expect(isUnavailable(await errorOf('/file.json', { method: 'POST' }))).toBe(false)
  expect(isUnavailable(await errorOf('/api/x', { method: 'GET', body: 'no' }))).toBe(false)
  answer = (response) => void response.writeHead(503, { 'portico-internal-code': 'overloaded' }).end()
  expect(isUnavailable(await errorOf('/api/x', { method: 'POST' }))).toBe(true)
  answer = (response) => void response.writeHead(503).end('own')
  expect(await (await ask('/api/x', { method: 'POST' })).text()).toBe('own')
})
