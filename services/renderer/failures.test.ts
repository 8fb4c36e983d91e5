// Failures of a page: the right screen, one log line, and the next request succeeds.

import { request } from 'node:http'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { testSite } from './testing/site.ts'
import { gate, rendererForTests, send, shownProps, startRenderer } from './testing/start-renderer.ts'

const SERVER_TEXT =
  'Application error: a server-side exception has occurred (see the server logs for more information).'
const CRAWLER = { 'user-agent': 'Mozilla/5.0 (compatible; bingbot/2.0)' }

const { data, shared, gates } = testSite
beforeAll(() => {
  vi.stubEnv('PORTICO_TEST_SECRET', 'secret-of-the-environment')
})
afterAll(() => void vi.unstubAllEnvs())
const under = rendererForTests({ dataTimeoutMs: 150, renderTimeoutMs: 300 })

beforeEach(() => {
  under.renderer.errors.length = 0
  data.fine = () => ({ props: { fine: true } })
})

/** E4: the screen or JSON of 500 with a digest in exactly one log line, and without internal details. */
async function expectFailure(path: string, headers: Record<string, string> = {}): Promise<string> {
  const page = await under.renderer.request(path, { headers })
  expect(page.status, path).toBe(500)
  const digest = /Digest: (?:<!-- -->)?([0-9a-f]{10})/.exec(page.body)?.[1]
  expect(page.body).toContain('<title>500: Internal Server Error</title>')
  expect(page.body).toContain(SERVER_TEXT)
  const lines = under.renderer.errors.filter((line) => line.digest === digest)
  expect(lines, path).toHaveLength(1)
  expect(lines[0]?.error).toMatchObject({ stack: expect.stringContaining('Error: ') })
  expect(page.headers['portico-internal-digest']).toBe(digest)
  expect(page.headers['cache-control']).toBe('private, no-store')
  for (const inside of ['secret', 'node_modules', under.site.build.dir, 'at render', 'PORTICO_TEST', '.tsx', '.js:'])
    expect(page.body, path).not.toContain(inside)
  expect(shownProps(await under.renderer.request('/data/fine'))).toEqual({ fine: true })
  return JSON.stringify(lines[0])
}

describe('screens', () => {
  test('E1 sends the not-found screen with status, title, heading and text', async () => {
    const { status, body, headers } = await under.renderer.request('/nothing')
    expect(status).toBe(404)
    expect(body).toMatch(/<title>404: This page could not be found\.<\/title>/)
    expect(body).toMatch(/<h1[^>]*>404<\/h1><p[^>]*>This page could not be found\.<\/p>/)
    expect(body).toContain('<meta name="robots" content="noindex"/>')
    expect(headers['cache-control']).toBe('private, no-store')
    expect(headers.etag).toBeUndefined()
  })

  test('E2 sends failed page data as JSON with status, title and digest', async () => {
    data.broken = () => {
      throw new Error('secret-of-the-data')
    }
    const { status, body } = await under.renderer.requestData('/data/broken.json')
    const response = JSON.parse(body)
    expect([status, response]).toEqual([
      500,
      {
        error: {
          status: 500,
          title: 'Internal Server Error',
          code: 'internal',
          digest: expect.stringMatching(/^[0-9a-f]{10}$/),
        },
      },
    ])
    expect(under.renderer.errors.filter(({ digest }) => digest === response.error.digest)).toHaveLength(1)
  })
})

describe('failures', () => {
  test('E4 a data function that throws', async () => {
    data.throws = shared.throws = () => {
      throw new Error(`secret-of-the-data ${process.env.PORTICO_TEST_SECRET}`)
    }
    expect(await expectFailure('/data/throws')).toContain('secret-of-the-data')
    expect(await expectFailure('/shared/throws')).toContain('secret-of-the-data')
  })

  test('E4 a component that throws', async () => {
    data.component = shared.component = () => ({ props: { throws: 'error' } })
    expect(await expectFailure('/data/component')).toContain('secret-of-the-render')
    expect(await expectFailure('/shared/component')).toContain('secret-of-the-render')
  })

  test('E4 a component that throws after it suspended, for a crawler and in a page for all clients', async () => {
    gates.fails = Promise.resolve('error')
    const whole = await under.renderer.request('/gated/fails', { headers: CRAWLER })
    expect(whole.status).toBe(200)
    expect(whole.body).not.toContain('secret')
    const digest = /data-dgst="([0-9a-f]{10})"/.exec(whole.body)?.[1]
    expect(under.renderer.errors.filter((line) => line.digest === digest)).toHaveLength(1)
    expect(await expectFailure('/kept/fails')).toContain('a part of the page failed')
  })

  test('E4 thrown values that are no errors', async () => {
    for (const thrown of ['text', undefined, null, 7, { a: 1 }]) {
      data.odd = () => {
        throw thrown
      }
      const { status, body } = await under.renderer.request('/data/odd')
      expect([status, body.includes(SERVER_TEXT)]).toEqual([500, true])
    }
  })

  test('D3 a data function that returns a wrong value fails with the rule for its result', async () => {
    const rubbish: [unknown, string][] = [
      [undefined, 'must return { props }, { redirect } or { notFound: true }'],
      [null, 'must return { props }'],
      [7, 'must return { props }'],
      [[], 'must return { props }'],
      [{}, 'must return props as an object'],
      [{ props: [] }, 'must return props as an object'],
      [{ notFound: 'yes' }, 'must return props as an object'],
      [{ redirect: '/about' }, 'must return redirect as'],
      [{ redirect: { destination: '/about' } }, 'either permanent (true or false) or statusCode'],
      [{ redirect: { destination: '/about', permanent: true, statusCode: 301 } }, 'either permanent'],
      [{ redirect: { destination: '/about', statusCode: 200 } }, 'redirect.statusCode as 301'],
      [{ props: {}, revalidate: -1 }, 'revalidate as a number of seconds above 0'],
      [{ props: {}, revalidate: '10' }, 'revalidate as a number'],
      [{ props: {}, tags: 'a' }, 'tags as a list of strings'],
    ]
    for (const [value, rule] of rubbish) {
      data.rubbish = () => value
      expect(await expectFailure('/data/rubbish')).toContain(rule)
    }
  })

  test('D7 props that are no JSON become the error screen, also in streamed and whole documents', async () => {
    const cycle: Record<string, unknown> = {}
    cycle.self = cycle
    for (const value of [10n, cycle]) {
      data.unserializable = shared.unserializable = () => ({ props: { value } })
      await expectFailure('/data/unserializable')
      await expectFailure('/shared/unserializable')
      gates.open = Promise.resolve('open')
      data.bad = () => ({ props: { gate: 'open', value } })
      await under.renderer.request('/suspends/bad')
      await expectFailure('/suspends/bad')
      await expectFailure('/suspends/bad', CRAWLER)
    }
  })

  test('D2 page data of 50 MB becomes the error screen, also streamed and for all clients', async () => {
    const huge = 'x'.repeat(50 * 1024 * 1024)
    data.huge = shared.huge = () => ({ props: { huge } })
    expect(await expectFailure('/data/huge')).toContain('the limit is 8388608')
    expect(await expectFailure('/shared/huge')).toContain('the limit is 8388608')
    expect((await under.renderer.requestData('/data/huge.json')).status).toBe(500)
    gates.open = Promise.resolve('open')
    data.hugeStream = () => ({ props: { gate: 'open', huge } })
    expect(await expectFailure('/suspends/hugeStream')).toContain('the limit is 8388608')
  })

  test('D2 page data above 128 kB is one log line for its route, with the path and no value of the query', async () => {
    data.large = () => ({ props: { large: 'x'.repeat(130_000) } })
    for (let times = 0; times < 2; times++) await under.renderer.request('/data/large?token=secret-of-the-query')
    const noted = under.renderer.lines.filter(({ event }) => event === 'large-page-data')
    expect(noted).toMatchObject([{ path: '/data/large', bytes: expect.any(Number) }])
    expect(JSON.stringify(noted)).not.toContain('secret-of-the-query')
  })

  test('D2 a status or header that HTTP cannot represent is a failure of the page', async () => {
    for (const [statusCode, value] of [
      [99_999, 'x'],
      [200, 'a\nb'],
    ] as const) {
      data.impossible = ({ res }) => {
        res.statusCode = statusCode
        res.setHeader('x-own', value)
        return { props: {} }
      }
      const { status, body } = await under.renderer.request('/data/impossible')
      expect([status, body.includes(SERVER_TEXT)]).toEqual([500, true])
    }
  })
})

describe('time limits', () => {
  test('D4 E7 the time limit ends a data function that hangs; a page whose own API is late is 503', async () => {
    under.renderer.actions.respond = () => {}
    data.asks = (_context, { fetch }) => fetch('/api/slow')
    data.hangs = () => new Promise(() => {})
    shared.hangs = () => new Promise(() => {})
    // Its own API is late: the page says when to come again.
    const late = await under.renderer.request('/data/asks')
    expect([late.status, late.headers['retry-after']]).toEqual([503, expect.any(String)])
    expect(await expectFailure('/data/hangs')).toContain('took longer than 150 ms')
    expect(await expectFailure('/shared/hangs')).toContain('took longer than 150 ms')
  })

  test('D5 the time limit ends a page for all clients that never finishes rendering', async () => {
    gates.never = new Promise(() => {})
    expect(await expectFailure('/kept/never')).toContain('took longer than 300 ms')
  })

  test('D4 a client that disconnects ends the work for its request', async () => {
    const began = gate()
    const left = gate()
    under.renderer.actions.respond = (_request, response) => {
      began.open('began')
      response.on('close', () => left.open('left'))
    }
    const patient = await startRenderer(under.site)
    patient.actions.respond = under.renderer.actions.respond
    data.waits = (_context, { fetch }) => fetch('/api/slow')
    const outgoing = request({ host: '127.0.0.1', port: patient.port, path: '/data/waits' })
    outgoing.on('error', () => {})
    outgoing.end()
    await began.opened
    outgoing.destroy()
    expect(await left.opened).toBe('left')
    expect(patient.errors).toEqual([])
    expect((await send(patient.port, '/data/fine')).status).toBe(200)
    await patient.stop()
  })

  test('D4 a client that disconnects does not end the render for all clients', async () => {
    const ready = gate()
    let calls = 0
    shared.common = () => {
      calls++
      return ready.opened
    }
    const outgoing = request({ host: '127.0.0.1', port: under.renderer.port, path: '/shared/common' })
    outgoing.on('error', () => {})
    outgoing.end()
    await expect.poll(() => calls).toBe(1)
    const second = under.renderer.request('/shared/common')
    outgoing.destroy()
    ready.open({ props: { common: true } })
    expect(shownProps(await second)).toEqual({ common: true })
    expect(calls).toBe(1)
  })
})
