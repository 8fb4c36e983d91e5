// The client of the renderer's inner port (A6, W6): with time limits, over idle connections.

import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createLog } from '@portico/shared/kit/observe/log.ts'
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { createRendererClient } from './renderer-client.ts'

const PAGE = '{"kind":"page","route":"/","params":{},"props":{}}'
let server: Server | undefined
afterEach(async () => {
  await new Promise<void>((done) => {
    server?.close(() => done())
    server?.closeAllConnections()
  })
})

async function start(handler: RequestListener, timeoutMs = 30_000, lookup?: () => Promise<string[]>, buildId?: string) {
  server = createServer(handler)
  await new Promise<void>((done) => server?.listen(0, lookup ? '127.0.0.2' : '127.0.0.1', done))
  // A TCP server that listens has an AddressInfo.
  const { port } = server.address() as AddressInfo
  const lines: string[] = []
  const client = createRendererClient({
    innerUrls: [new URL(`http://127.0.0.1:${port}`)],
    token: () => 'stack-token',
    log: createLog('test', 'info', { write: (line) => void lines.push(line) }),
    dataTimeoutMs: timeoutMs,
    pageTimeoutMs: timeoutMs,
    ...(lookup && { lookup }),
    ...(buildId !== undefined && { buildId }),
  })
  return { client, lines, port }
}

function respond(status: number, type: string, body: string): RequestListener {
  return (request, response) => {
    request.resume().on('end', () => response.writeHead(status, { 'content-type': type }).end(body))
  }
}

describe('the renderer client', () => {
  it('W6 sends the request with token and request id, over one persistent connection', async () => {
    const seen: unknown[] = []
    const ports = new Set<number | undefined>()
    const { client } = await start(async (request, response) => {
      ports.add(request.socket.remotePort)
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk as Buffer)
      const { authorization, 'x-request-id': id, origin } = request.headers
      seen.push([request.method, request.url, authorization, id, origin, JSON.parse(Buffer.concat(chunks).toString())])
      response.writeHead(200, { 'content-type': 'application/json', 'set-cookie': ['a=1', 'b=2'] }).end(PAGE)
    })
    const body = { url: '/ä?b', as: 'data', generation: 3 } as const
    for (let n = 0; n < 3; n++)
      expect(await client.freshData(body, 'request-1')).toEqual({ json: PAGE, setCookies: ['a=1', 'b=2'] })
    expect(seen[0]).toEqual(['POST', '/internal/render', 'Bearer stack-token', 'request-1', undefined, body])
    expect(ports.size).toBe(1)
  })

  const twoAddresses = async () => ['127.0.0.99', '127.0.0.2']

  it('W6 requests the page from another replica when the first one refuses connections', async () => {
    const { client, lines } = await start(respond(200, 'application/json', PAGE), 30_000, twoAddresses)
    expect(await client.freshData({ url: '/', as: 'data' }, 'request-1')).toMatchObject({ json: PAGE })
    expect(lines).toEqual([])
  })

  it('G1 X7 sends a form to one replica once, and to another one only where the first refuses connections', async () => {
    let forms = 0
    const breakOff: RequestListener = (request) => {
      forms++
      request.resume().on('end', () => request.socket.destroy())
    }
    const form = { url: '/contact', as: 'html', posted: 'YT0x' } as const
    const { client, lines } = await start(breakOff, 30_000, twoAddresses)
    expect(await client.postedPage(form, 'request-1')).toBeUndefined()
    expect([forms, lines.length]).toEqual([1, 1])
  })

  it('K3 sends requests to the replicas of a list in turn', async () => {
    const seen: number[] = []
    const servers = [1, 2].map((number) =>
      createServer((request, response) => {
        seen.push(number)
        respond(200, 'application/json', PAGE)(request, response)
      }),
    )
    const innerUrls: URL[] = []
    for (const each of servers) {
      await new Promise<void>((done) => each.listen(0, '127.0.0.1', done))
      // A TCP server that listens has an AddressInfo.
      innerUrls.push(new URL(`http://127.0.0.1:${(each.address() as AddressInfo).port}`))
    }
    const client = createRendererClient({ innerUrls, token: () => 'stack-token', log: createLog('test', 'silent') })
    const send = () => client.freshData({ url: '/', as: 'data' }, 'request-1')
    for (let count = 0; count < 4; count++) expect(await send()).toMatchObject({ json: PAGE })
    expect(seen).toEqual([1, 2, 1, 2])
    servers[0]?.close().closeAllConnections()
    for (let count = 0; count < 3; count++) expect(await send()).toMatchObject({ json: PAGE })
    servers[1]?.close().closeAllConnections()
  })

  it('W6 C5 does not wait for a replica that has not confirmed a change, where another one has', async () => {
    const frozen = createServer(() => {})
    const { client, port } = await start(respond(200, 'application/json', PAGE), 30_000, twoAddresses)
    await new Promise<void>((done) => frozen.listen(port, '127.0.0.99', done))
    client.avoid(`127.0.0.99:${port}`)
    expect(await client.freshData({ url: '/', as: 'data' }, 'request-1')).toMatchObject({ json: PAGE })
    frozen.close()
  })

  it('O12 keeps a renderer of its build that was late once, while the resolver knows only those of the next build', async () => {
    let frozen = ''
    const open = async (host: string, build: string, port: number) => {
      const each = createServer((request, response) => {
        if (frozen.includes(host)) return
        request
          .resume()
          .on('end', () =>
            response.writeHead(200, { 'content-type': 'application/json', 'portico-build': build }).end(PAGE),
          )
      })
      await new Promise<void>((done) => each.listen(port, host, done))
      onTestFinished(() => void each.close().closeAllConnections())
      // A TCP server that listens has an AddressInfo.
      return (each.address() as AddressInfo).port
    }
    const port = await open('127.0.0.2', 'one', 0)
    await open('127.0.0.3', 'one', port)
    await open('127.0.0.4', 'two', port)
    let addresses = ['127.0.0.2', '127.0.0.3']
    vi.useFakeTimers({ toFake: ['performance'] })
    onTestFinished(() => void vi.useRealTimers())
    const client = createRendererClient({
      innerUrls: [new URL(`http://127.0.0.1:${port}`)],
      token: () => 'stack-token',
      log: createLog('test', 'silent'),
      buildId: 'one',
      dataTimeoutMs: 200,
      lookup: async () => addresses,
    })
    const fresh = () => client.freshData({ url: '/', as: 'data' }, 'request-1')
    for (let count = 0; count < 2; count++) expect(await fresh()).toMatchObject({ json: PAGE })
    addresses = ['127.0.0.4']
    vi.advanceTimersByTime(1001)
    frozen = '127.0.0.2'
    expect(await fresh(), 'the renderer is late').toBeUndefined()
    expect(await fresh(), 'the other one of the build').toMatchObject({ json: PAGE })
    frozen = '127.0.0.2 127.0.0.3'
    expect(await fresh(), 'both are late').toBeUndefined()
    frozen = ''
    expect(await fresh(), 'both respond again').toMatchObject({ json: PAGE })
  })

  it.each<[string, RequestListener]>([
    ['an error', respond(500, 'application/json', PAGE)],
    ['another JSON', respond(200, 'application/json', '{"error":{}}')],
    ['no JSON', respond(200, 'text/html', '<p>')],
    ['page data of another type', respond(200, 'text/html', PAGE)],
    ['an unknown kind', respond(200, 'application/json', '{"kind":"pages"}')],
    ['nothing in time', () => {}],
    ['a broken connection', (request) => request.socket.destroy()],
    [
      'half a response',
      (request, response) => {
        response.writeHead(200, { 'content-type': 'application/json', 'content-length': 99 })
        response.write(PAGE, () => request.socket.destroy())
      },
    ],
  ])('A6 treats %s as no data, and logs one line', async (_name, handler) => {
    const { client, lines } = await start(handler, 100)
    expect(await client.freshData({ url: '/', as: 'data' }, 'request-1')).toBeUndefined()
    expect(lines).toHaveLength(1)
    expect(lines[0]).not.toContain('stack-token')
  })

  it('W4 accepts page data with status 404', async () => {
    const { client } = await start(respond(404, 'application/json', '{"kind":"not-found"}'))
    expect(await client.freshData({ url: '/', as: 'data' }, 'request-1')).toEqual({
      json: '{"kind":"not-found"}',
      setCookies: [],
    })
  })

  it('A6 accepts a document with any status, and only a document', async () => {
    let [status, type] = [500, 'text/html; charset=utf-8']
    const { client } = await start((request, response) => respond(status, type, '<p>ä')(request, response))
    expect(await client.page({ url: '/', as: 'html' }, 'request-1')).toMatchObject({
      status: 500,
      body: Buffer.from('<p>ä'),
    })
    ;[status, type] = [200, 'application/json']
    expect(await client.page({ url: '/', as: 'html' }, 'request-1')).toBeUndefined()
  })

  it('A6 sends the request again when the renderer has closed the connection, before or in the response', async () => {
    let requests = 0
    const { client } = await start((request, response) => {
      requests++
      if (requests === 2) request.socket.destroy()
      else if (requests === 4)
        response.writeHead(200, { 'content-length': 99 }).write(PAGE, () => request.socket.destroy())
      else respond(200, 'application/json', PAGE)(request, response)
    })
    for (let n = 0; n < 3; n++)
      expect(await client.freshData({ url: '/', as: 'data' }, 'request-1')).toMatchObject({ json: PAGE })
    expect(requests).toBe(5)
  })
})

describe('the renderer client of a build', () => {
  let other: Server | undefined
  afterEach(() => {
    other?.closeAllConnections()
    other?.close()
  })

  it('O12 takes no page of a renderer of another build, and keeps one of its build that the resolver has dropped', async () => {
    const asked: unknown[] = []
    const renderer =
      (build: string): RequestListener =>
      (request, response) => {
        asked.push([build, request.headers['portico-build']])
        const isOwn = request.headers['portico-build'] === build
        const headers = { 'content-type': 'application/json', 'portico-build': build }
        request.resume().on('end', () => response.writeHead(isOwn ? 200 : 404, headers).end(isOwn ? PAGE : '{}'))
      }
    let addresses = ['127.0.0.3', '127.0.0.2']
    const { client, port } = await start(renderer('b1'), 5000, async () => addresses, 'b1')
    other = createServer(renderer('b2'))
    await new Promise<void>((done) => other?.listen(port, '127.0.0.3', done))
    const data = () => client.freshData({ url: '/', as: 'data' }, 'r1')
    expect(await data()).toMatchObject({ json: PAGE })
    expect(new Set(asked.map(String))).toEqual(new Set(['b2,b1', 'b1,b1']))
    addresses = ['127.0.0.3']
    // Longer than addresses are known.
    await new Promise((done) => setTimeout(done, 1100))
    expect(await data()).toMatchObject({ json: PAGE })
    server?.closeAllConnections()
    await new Promise((done) => server?.close(done))
    expect(await data()).toBeUndefined()
  })

  it('O12 G2 keeps the known renderers while the resolver fails, or has no address because all of them stop', async () => {
    let resolve: () => Promise<string[]> = async () => ['127.0.0.2']
    const page: RequestListener = (request, response) => {
      const headers = { 'content-type': 'application/json', 'portico-build': 'b1' }
      request.resume().on('end', () => response.writeHead(200, headers).end(PAGE))
    }
    const { client } = await start(page, 5000, () => resolve(), 'b1')
    const data = () => client.freshData({ url: '/', as: 'data' }, 'r1')
    expect(await data()).toMatchObject({ json: PAGE })
    let later = 0
    const now = performance.now.bind(performance)
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() + later)
    onTestFinished(() => clock.mockRestore())
    for (const fail of [() => Promise.reject(new Error('ENOTFOUND')), async () => []]) {
      resolve = fail
      // Longer than addresses are known.
      later += 1100
      expect(await data()).toMatchObject({ json: PAGE })
    }
  })
})
