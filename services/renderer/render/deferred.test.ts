// Promises in the props of data functions, in documents and as page data.

import { PAGE_DATA_LIMIT } from '@portico/shared/wire/constants.ts'
import { beforeEach, describe, expect, test } from 'vitest'
import { openResponse } from '../testing/open-response.ts'
import { testSite } from '../testing/site.ts'
import { gate, rendererForTests, startRenderer } from '../testing/start-renderer.ts'

const { data, shared } = testSite
const under = rendererForTests()
const CRAWLER = { 'user-agent': 'Mozilla/5.0 (compatible; bingbot/2.0)' }
const open = (path: string) => openResponse(under.renderer.port, path)
const openData = (name: string) => open(`/_portico/data/${under.renderer.manifest.buildId}/deferred/${name}.json`)
const linesOf = (text: string) =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)

beforeEach(() => {
  under.renderer.errors.length = 0
})

/** A page with a slow value, and two that have settled. */
function threeValues() {
  const slow = gate()
  data.three = ({ query }) => ({
    props: {
      early: JSON.stringify(query),
      late: { slow: slow.opened, fast: Promise.resolve('</script>'), failing: Promise.reject(new Error('secret')) },
    },
  })
  return slow
}

describe('documents', () => {
  test('W2 the shell is sent before the slow value, and each value in an inert element when it settles', async () => {
    const slow = threeValues()
    const { seen } = open('/deferred/three?a=1')
    await expect.poll(() => seen.body).toContain('{"n":1,"value":"\\u003c/script>"}')
    expect(seen.body).toContain('"late":{"slow":{"$deferred":0}')
    expect(seen.body).toMatch(/<link rel="modulepreload" nonce="[^"]+" href="[^"]+framework-deferred-/)
    slow.open({ text: 'here' })
    await expect.poll(() => seen.ended).toBe(true)
    const elements = [...seen.body.matchAll(/<script type="application\/json" data-portico-deferred>(.*?)<\/script>/g)]
    const lines = elements.map(([, text = '']) => JSON.parse(text) as { n: number })
    expect(lines.toSorted((one, other) => one.n - other.n)).toEqual([
      { n: 0, value: { text: 'here' } },
      { n: 1, value: '</script>' },
      { n: 2, error: { digest: under.renderer.errors[0]?.digest } },
    ])
    expect(seen.body).toContain('<p id="slow">')
    expect(seen.body).not.toContain('secret')
    expect(under.renderer.errors).toHaveLength(1)
    for (const [script] of seen.body.matchAll(/<script(?! type="application\/json")[^>]*>/g))
      expect(script).toContain('nonce=')
  })

  test('W12 a document with deferred parts leads browsers without JavaScript to the whole one, which leads nowhere', async () => {
    const slow = threeValues()
    const { seen, leave } = open('/deferred/three?a=1&b=%22')
    await expect.poll(() => seen.body).toContain('</head>')
    const [, address = ''] =
      /<noscript><meta http-equiv="refresh" content="0;url=([^"]+)"><\/noscript>/.exec(seen.body) ?? []
    leave()
    slow.open('here')
    expect(address).toBe('/deferred/three?a=1&#38;b=%22&#38;portico-whole=1')
    const whole = await under.renderer.request(address.replaceAll('&#38;', '&'))
    expect(whole.headers['cache-control']).toBe('private, no-store')
    expect(whole.body).toContain('<p id="slow">&quot;here&quot;</p>')
    expect(whole.body).not.toContain('http-equiv')
    // The parameter is hidden from page code: only the script that removes it from the address has it.
    expect(whole.body.match(/portico-whole/g)).toHaveLength(1)
    expect(whole.body).toMatch(/<head>(<meta[^>]*>)*<script>history\.replaceState\(/)
    expect(whole.body).toContain('"deferred":[{"n":')
    expect(whole.headers['content-security-policy']).toMatch(/script-src 'self' 'sha256-[^']+'$/)
  })

  test('W12 a whole document is no-store whatever the page sets; a rewrite does not pass its parameter on', async () => {
    data.given = ({ query, resolvedUrl, res }) => {
      res.setHeader('Cache-Control', 'public, max-age=60')
      return { props: { query, resolvedUrl } }
    }
    const { headers, body } = await under.renderer.request('/alias/given?portico-whole=1&a=1')
    expect([headers['cache-control'], body.match(/portico-whole/g)?.length]).toEqual(['private, no-store', 1])
    expect(body).toContain('/data/given?from=alias')
  })

  test('W12 a crawler gets the page whole, with the status of a value that is not found', async () => {
    const slow = threeValues()
    setTimeout(() => slow.open('all of it'), 20)
    const { body } = await under.renderer.request('/deferred/three', { headers: CRAWLER })
    expect(body).toContain('<p id="slow">&quot;all of it&quot;</p>')
    expect(body).not.toContain('http-equiv')
    data.gone = (_context, { notFound }) => ({
      props: { late: { part: new Promise((done) => setTimeout(done, 5)).then(notFound) } },
    })
    expect((await under.renderer.request('/deferred/gone', { headers: CRAWLER })).status).toBe(404)
  })

  test('D3 a value that is not found after the shell leaves status 200, and adds noindex', async () => {
    const part = gate()
    data.late = (_context, { notFound }) => ({ props: { late: { part: part.opened.then(notFound) } } })
    const { seen } = open('/deferred/late')
    await expect.poll(() => seen.body).toContain('Waiting')
    part.open(0)
    await expect.poll(() => seen.ended).toBe(true)
    expect([seen.status, seen.body]).toEqual([
      200,
      expect.stringMatching(/"n":0,"error":{"kind":"not-found"}.*noindex/s),
    ])
    expect(under.renderer.errors).toEqual([])
  })

  test('D2 a static page waits for every promise, and its entry has their values', async () => {
    shared.ready = () => ({
      props: { early: 'E', late: { part: new Promise((done) => setTimeout(done, 5, 'value')) } },
    })
    const { body, headers } = await under.renderer.request('/settled/ready')
    expect(body).toContain('<p id="part">&quot;value&quot;</p>')
    expect(headers.etag).toBeDefined()
    const page = await under.renderer.requestData('/settled/ready.json')
    expect(JSON.parse(page.body)).toMatchObject({
      props: { late: { part: { $deferred: 0 } } },
      deferred: [{ n: 0, value: 'value' }],
    })
    const posted = await under.renderer.requestInner('/internal/render', {
      url: '/settled/ready',
      as: 'html',
      formState: [1, 'k', 'a', 0],
    })
    expect(posted.body).toContain('<p id="part">&quot;value&quot;</p>')
    expect(posted.body).toContain('"late":{"part":{"$deferred":0}}},"deferred":[{"n":0,"value":"value"}]')
    shared.broken = () => ({ props: { late: { part: Promise.reject(new Error('cannot be awaited')) } } })
    expect((await under.renderer.request('/settled/broken')).status).toBe(500)
    expect(JSON.stringify(under.renderer.errors.at(-1))).toContain('cannot be awaited')
    shared.gone = (_context, { notFound }) => ({ props: { late: { part: Promise.resolve().then(notFound) } } })
    expect((await under.renderer.request('/settled/gone')).status).toBe(404)
  })
})

describe('page data', () => {
  test('W2 is lines: the page first, then each value when it settles', async () => {
    const slow = threeValues()
    const { seen } = openData('three')
    await expect.poll(() => seen.body).toContain('"n":2')
    expect(seen.headers).toMatchObject({
      'content-type': 'application/jsonl; charset=utf-8',
      'cache-control': 'private, no-store',
      'portico-build': under.renderer.manifest.buildId,
    })
    slow.open(undefined)
    await expect.poll(() => seen.ended).toBe(true)
    expect(linesOf(seen.body)).toEqual([
      {
        kind: 'page',
        route: '/deferred/[name]',
        params: { name: 'three' },
        props: {
          early: '{"name":"three"}',
          late: { slow: { $deferred: 0 }, fast: { $deferred: 1 }, failing: { $deferred: 2 } },
        },
      },
      { n: 1, value: '</script>' },
      { n: 2, error: { digest: under.renderer.errors[0]?.digest } },
      { n: 0 },
    ])
  })

  test('D3 redirects and missing pages are lines, addresses of other hosts as paths of this site', async () => {
    data.flows = (_context, { redirect, notFound }) => ({
      props: {
        list: [Promise.resolve().then(() => redirect('//evil.example/x', 303)), Promise.resolve().then(notFound)],
      },
    })
    const { seen } = openData('flows')
    await expect.poll(() => seen.ended).toBe(true)
    expect(linesOf(seen.body).slice(1)).toEqual([
      { n: 0, error: { kind: 'redirect', location: '/evil.example/x', status: 303 } },
      { n: 1, error: { kind: 'not-found' } },
    ])
  })

  test('W6 after an action it is one JSON with every value', async () => {
    const slow = threeValues()
    setTimeout(() => slow.open('awaited'), 20)
    const { headers, body } = await under.renderer.requestInner('/internal/render', {
      url: '/deferred/three',
      as: 'data',
    })
    expect(headers['content-type']).toBe('application/json; charset=utf-8')
    const { props, deferred } = JSON.parse(body) as { props: { late: unknown }; deferred: { n: number }[] }
    expect(props.late).toMatchObject({ slow: { $deferred: 0 } })
    expect(deferred.find(({ n }) => n === 0)).toEqual({ n: 0, value: 'awaited' })
    expect(deferred).toHaveLength(3)
  })

  test('W2 without promises it is plain JSON, author data with $deferred included', async () => {
    data.plain = () => ({ props: { $deferred: 1 } })
    const { headers, body } = await under.renderer.requestData('/deferred/plain.json')
    expect(headers['content-type']).toBe('application/json; charset=utf-8')
    expect(JSON.parse(body)).toMatchObject({ props: { $deferred: 1 } })
  })

  test('D2 a value that makes the page data too large, or is no JSON, fails alone', async () => {
    data.huge = () => ({
      props: { list: ['x'.repeat(PAGE_DATA_LIMIT), 10n, 'kept'].map((value) => Promise.resolve(value)) },
    })
    const { seen } = openData('huge')
    await expect.poll(() => seen.ended).toBe(true)
    expect(
      new Map(
        linesOf(seen.body)
          .slice(1)
          .map(({ n, ...rest }) => [n, Object.keys(rest)]),
      ),
    ).toMatchObject(
      new Map([
        [0, ['error']],
        [1, ['error']],
        [2, ['value']],
      ]),
    )
    expect(under.renderer.errors).toHaveLength(2)
  })

  test('D2 a header or cookie that a late value sets is an error', async () => {
    const part = gate()
    data.setter = ({ res }, { cookies }) => ({
      props: {
        list: [
          part.opened.then(() => cookies().set('late', '1')),
          part.opened.then(() => res.setHeader('x-late', '1')),
          part.opened.then(() => {
            res.statusCode = 404
          }),
        ],
      },
    })
    const { seen } = openData('setter')
    await expect.poll(() => seen.body).toContain('"kind":"page"')
    part.open(0)
    await expect.poll(() => seen.ended).toBe(true)
    expect(linesOf(seen.body).slice(1)).toMatchObject([{ error: {} }, { error: {} }, { error: {} }])
    expect(JSON.stringify(under.renderer.errors)).toMatch(
      /the head of the response has been sent.*before getServerSideProps/,
    )
  })

  test('D4 the time limit ends the last value, with one line of the log', async () => {
    const never = () => new Promise(() => {})
    data.hangs = () => ({ props: { late: { one: never(), other: never() } } })
    const renderer = await startRenderer(under.site, { dataTimeoutMs: 200 })
    try {
      const { body, status } = await renderer.requestData('/deferred/hangs.json')
      expect(status).toBe(200)
      expect(linesOf(body).slice(1)).toMatchObject([{ error: {} }, { error: {} }])
      const document = await renderer.request('/deferred/hangs')
      expect(document.body).toContain('</html>')
      expect(document.body).toMatch(/"n":0,"error":.*"n":1,"error":/)
      expect(renderer.errors).toHaveLength(2)
      expect(JSON.stringify(renderer.errors)).toContain('took longer than 200 ms')
    } finally {
      await renderer.stop()
    }
  })

  test('D2 a promise in its own value is a promise in the page, and no loop when the client disconnects', async () => {
    data.loop = () => {
      const value: { self?: Promise<unknown> } = {}
      value.self = new Promise((done) => setTimeout(done, 50, value))
      return { props: { late: value.self } }
    }
    const [{ seen }, left] = [openData('loop'), openData('loop')]
    await expect.poll(() => left.seen.body).not.toBe('')
    left.leave()
    await expect.poll(() => seen.ended).toBe(true)
    expect(linesOf(seen.body)[1]).toEqual({ n: 0, value: { self: { $deferred: 0 } } })
    expect((await under.renderer.request('/about')).status).toBe(200)
  })

  test('D2 a client that disconnects ends the work, without an error', async () => {
    let isEnded = false
    under.renderer.actions.respond = (request) => {
      request.socket.once('close', () => {
        isEnded = true
      })
    }
    data.left = (_context, { fetch }) => ({
      props: { late: { part: fetch('/api/never').then((response) => response.text()) } },
    })
    for (const { seen, leave } of [openData('left'), open('/deferred/left')]) {
      await expect.poll(() => seen.body).not.toBe('')
      isEnded = false
      leave()
      await expect.poll(() => isEnded).toBe(true)
    }
    expect(under.renderer.errors).toEqual([])
  })
})
