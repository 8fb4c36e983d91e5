import { once } from 'node:events'
import type { RequestListener, ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { describe, expect, it } from 'vitest'
import type { Log } from '../observe/log.ts'
import { reliedUntil } from './relied-until.ts'
import { startService } from './serve.ts'

type ServiceOptions = Parameters<typeof startService>[0]

type Drain = ServiceOptions['drain']

// The methods of the log that a service's life uses.
const log = { info() {}, error() {} } as unknown as Log
const DELAY_MS = 500
const REQUEST = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'

/** A service with one public listener, and the listener's port. */
async function start(handler: RequestListener, drain: Drain, onDrain: () => void = () => {}) {
  const { ports, stop } = await startService({
    log,
    listeners: [{ name: 'public', host: '127.0.0.1', port: 0, handler }],
    inner: { host: '127.0.0.1', port: 0 },
    drain,
    onDrain,
  })
  return { port: ports.public ?? 0, stop }
}

describe('draining', () => {
  it('O5 responds to a request that has arrived on an idle connection that is about to be closed', async () => {
    // A request keeps the process busy from before the end of the delay until after it; meanwhile another one arrives.
    let atBusy: () => void = () => {}
    const handler: RequestListener = (request, response) => {
      response.end()
      if (request.url !== '/busy') return
      atBusy()
      for (const until = performance.now() + DELAY_MS + 20; performance.now() < until; );
    }
    const { port, stop } = await start(handler, { delayMs: DELAY_MS, deadlineMs: 2000 })
    const [kept, other] = [1, 2].map(() => connect(port, '127.0.0.1').on('error', () => {}))
    if (!kept || !other) throw new Error('unreachable')
    let received = ''
    kept.on('data', (chunk: Buffer) => {
      received += chunk.toString()
    })
    const responseCount = () => received.match(/HTTP\/1\.1 200 OK/g)?.length ?? 0
    kept.write(REQUEST)
    await expect.poll(responseCount).toBe(1)
    if (other.connecting) await once(other, 'connect')
    atBusy = () => kept.write(REQUEST)
    const stopped = stop()
    other.write(REQUEST.replace('/', '/busy'))
    await once(kept, 'close')
    expect(responseCount()).toBe(2)
    expect(await stopped).toEqual({ finished: true })
  })

  it('O5 sends Connection: close with a response that was running before', async () => {
    let begin: () => void = () => {}
    const begun = new Promise<void>((done) => {
      begin = done
    })
    let finish: () => void = () => {}
    const handler: RequestListener = (_request, response) => {
      begin()
      finish = () => response.end('late')
    }
    const { port, stop } = await start(handler, { delayMs: 0, deadlineMs: 5000 })
    const client = connect(port, '127.0.0.1')
    let received = ''
    client.on('data', (chunk: Buffer) => {
      received += chunk.toString()
    })
    client.write(REQUEST)
    await begun
    const stopped = stop()
    finish()
    await once(client, 'close')
    expect(received).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
    expect(received).toContain('\r\nConnection: close\r\n')
    expect(await stopped).toEqual({ finished: true })
  })

  it('O5 ends by the deadline even if a late response leaves its connection idle', async () => {
    let stream: ServerResponse | undefined
    const handler: RequestListener = (_request, response) => {
      response.write('first')
      stream = response
    }
    const { port, stop } = await start(handler, { delayMs: 1000, deadlineMs: 2000 }, () => stream?.end())
    const client = connect(port, '127.0.0.1').resume()
    client.write(REQUEST)
    await once(client, 'data')
    expect(await stop()).toEqual({ finished: true })
  })

  it.each([
    ['half a head', '', 'GET / HTTP/1.1\r\nHo'],
    ['half a body after its response', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n', 'abc'],
  ])('O5 waits for no client that sent %s and then nothing', async (_what, first, then) => {
    const handler: RequestListener = (_request, response) => void response.end('response')
    const { port, stop } = await start(handler, { delayMs: 0, deadlineMs: 10_000 })
    const client = connect(port, '127.0.0.1').on('error', () => {})
    client.write((first || REQUEST) + then)
    await once(client, 'data')
    expect(await stop()).toEqual({ finished: true })
  })

  it('O5 names the work behind responses that the deadline cuts off', async () => {
    const lines: unknown[] = []
    const { stop } = await startService({
      // The methods of the log that a service's life uses.
      log: { ...log, warn: (fields: unknown) => void lines.push(fields) } as unknown as Log,
      listeners: [],
      inner: { host: '127.0.0.1', port: 0 },
      drain: { delayMs: 0, deadlineMs: 50 },
      after: { idle: () => new Promise(() => {}), unfinished: () => ['/orders'] },
    })
    expect(await stop()).toEqual({ finished: false })
    expect(lines).toEqual([{ event: 'after-cut', name: '/orders' }])
  })
})

describe('a replica on which a gateway relies', () => {
  it.each([
    [
      { delayMs: 1000, deadlineMs: 15_000 },
      { endMs: 10_000, announcedMs: 1500 },
    ],
    [
      { delayMs: 1000, deadlineMs: 60_000 },
      { endMs: 55_000, announcedMs: 1500 },
    ],
    [
      { delayMs: 500, deadlineMs: 2500 },
      { endMs: 1500, announcedMs: 500 },
    ],
    [
      { delayMs: 0, deadlineMs: 1000 },
      { endMs: 500, announcedMs: 250 },
    ],
  ])('O12 with the drain %j is served %j after SIGTERM, and announces its end', (drain, wanted) => {
    expect(reliedUntil(drain)).toEqual(wanted)
  })

  /** A service of build b1. `probe` returns what `/readyz` says. */
  async function startOfBuild(drain: Drain) {
    const { ports, stop } = await startService({
      log,
      listeners: [
        { name: 'public', host: '127.0.0.1', port: 0, handler: (_request, response) => response.end('served') },
      ],
      inner: { host: '127.0.0.1', port: 0, version: 'b1.e1' },
      drain,
    })
    const probe = async (build: string) =>
      (await (
        await fetch(`http://127.0.0.1:${ports.inner}/readyz`, { headers: { 'portico-build': build } })
      ).json()) as { waiting: string[]; instance: string }
    const serves = () =>
      fetch(`http://127.0.0.1:${ports.public}/`).then(
        (response) => response.text(),
        () => 'refused',
      )
    return { probe, serves, stop }
  }

  it('O12 serves after its delay while a gateway of its build relies on it, and ends before its deadline', async () => {
    const { probe, serves, stop } = await startOfBuild({ delayMs: 50, deadlineMs: 4050 })
    const { instance } = await probe('b1')
    expect(instance).toMatch(/^[0-9a-f]{16}$/)
    const began = performance.now()
    const stopped = stop()
    const seen: string[] = []
    while (!seen.includes('stopping')) {
      const { waiting, ...report } = await probe('b1')
      expect(report.instance).toBe(instance)
      // It serves to the end, also while it announces the end.
      expect(await serves()).toBe('served')
      seen.push(...waiting)
    }
    expect(new Set(seen)).toEqual(new Set(['draining', 'stopping']))
    expect(performance.now() - began).toBeGreaterThan(2000)
    expect(await stopped).toEqual({ finished: true })
    expect(await serves()).toBe('refused')
  })

  it('O12 ends after its delay when only gateways of other builds probe it', async () => {
    const { probe, stop } = await startOfBuild({ delayMs: 50, deadlineMs: 60_000 })
    await probe('b2')
    expect(await stop()).toEqual({ finished: true })
  })
})
