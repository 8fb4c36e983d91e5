// Streamed documents: the shell first, boundaries as they finish.

import { request } from 'node:http'
import { beforeEach, expect, test } from 'vitest'
import { openResponse } from '../testing/open-response.ts'
import { testSite } from '../testing/site.ts'
import { gate, rendererForTests, startRenderer } from '../testing/start-renderer.ts'

const { gates, data } = testSite
const under = rendererForTests()

beforeEach(() => {
  under.renderer.errors.length = 0
})

const open = (path: string, method?: string) => openResponse(under.renderer.port, path, method)

test('G4 sends the shell before the slow part, with data and script, and the part when it is ready', async () => {
  const slow = gate()
  gates.slow = slow.opened
  const { seen } = open('/gated/slow')
  await expect.poll(() => seen.body).toContain('Waiting')
  expect(seen.body).toMatch(/^<!DOCTYPE html><html/)
  expect(seen.body).toContain('<h1>Early</h1>')
  expect(seen.body.indexOf('<title>Gated</title>')).toBeLessThan(seen.body.indexOf('</head>'))
  expect(seen.body).toContain('id="__PORTICO_DATA__"')
  expect(seen.body).toMatch(/<script type="module" async nonce="[^"]+" src="[^"]+"><\/script>/)
  expect(seen.body).not.toContain('</html>')
  expect(seen.ended).toBe(false)
  slow.open('finished')
  await expect.poll(() => seen.ended).toBe(true)
  expect(seen.body).toContain('<p id="late">finished</p>')
  expect(seen.body.endsWith('</body></html>')).toBe(true)
})

test('G6 a streamed document names the nonce of its scripts, a new one for each response, and has no ETag', async () => {
  const nonces: string[] = []
  for (let visit = 0; visit < 2; visit++) {
    const part = gate()
    gates.nonce = part.opened
    const { seen } = open('/gated/nonce')
    await expect.poll(() => seen.body).toContain('Waiting')
    part.open('x')
    await expect.poll(() => seen.ended).toBe(true)
    const policy = String(seen.headers['content-security-policy'])
    const nonce = /script-src 'self' 'nonce-([A-Za-z0-9+/=_-]{22,})'/.exec(policy)?.[1] ?? ''
    const scripts = [...seen.body.matchAll(/<script([^>]*)>/g)].map((match) => match[1] ?? '')
    const inline = scripts.filter((attributes) => !/ src=| type="application\/json"/.test(attributes))
    expect(inline.length).toBeGreaterThan(0)
    for (const attributes of inline) expect(attributes).toContain(`nonce="${nonce}"`)
    expect([seen.headers.etag, seen.headers['cache-control']]).toEqual([undefined, 'private, no-store'])
    nonces.push(nonce)
  }
  expect(nonces[0]).not.toBe(nonces[1])
})

test('G6 a document that is not streamed contains no executable inline script and no nonce', async () => {
  data.plain = () => ({ props: {} })
  for (const path of ['/about', '/data/plain', '/nothing', '/shared-form']) {
    const { headers, body } = await under.renderer.request(path)
    expect(headers['content-security-policy'], path).toMatch(/script-src 'self'$/)
    for (const [, attributes = ''] of body.matchAll(/<script([^>]*)>/g))
      expect(attributes, path).toMatch(/ src=| type="application\/json"/)
  }
})

test('G6 a page that reads the nonce is sent with it, and no cache may keep it, whatever page and rules set', async () => {
  const { headers, body } = await under.renderer.request('/nonce/own')
  const nonce = /script-src 'self' 'nonce-([^']{22,})'/.exec(String(headers['content-security-policy']))?.[1]
  expect(body).toContain(`<script nonce="${nonce}">window.ran = 1</script>`)
  const ofCaches = Object.entries(headers).filter(([name]) => /cache-control|surrogate|accel|etag/.test(name))
  // The gateway adds no header of a rule that the response has.
  expect(Object.fromEntries(ofCaches)).toEqual({
    'cache-control': 'private, no-store',
    'cdn-cache-control': 'no-store',
    'x-accel-expires': '0',
  })
  const again = await under.renderer.request('/nonce/own')
  expect(again.headers['content-security-policy']).not.toBe(headers['content-security-policy'])
})

test('G6 a page for all clients cannot read the nonce: the error names the page and the remedy', async () => {
  const { status, headers } = await under.renderer.request('/nonce/shared')
  expect([status, headers['content-security-policy']]).toEqual([500, expect.not.stringContaining('nonce')])
  const [line] = under.renderer.errors
  expect(JSON.stringify(line)).toMatch(/\/nonce\/shared: useNonce\(\) works only .* Add getServerSideProps to the page/)
})

test('G6 each route has the policy of the table: other directives, reports only, every script by nonce, or none', async () => {
  gates.strict = Promise.resolve('x')
  data.plain = () => ({ props: {} })
  const policy = (sources: string[], reportOnly = false) => ({ directives: { 'script-src': sources }, reportOnly })
  const csp = {
    site: policy([{ env: 'GREETING' }, 'https://js.example'] as string[]),
    routes: {
      '/about': null,
      '/shared-form': policy(["'self'"], true),
      '/nonce/own': policy(["'unsafe-inline'"]),
      '/data/[name]': policy(["'strict-dynamic'"]),
    },
    screen: null,
  }
  const renderer = await startRenderer(under.site, { csp, publicEnv: { GREETING: 'hello.example' } })
  const policiesOf = async (path: string) => {
    const { headers, body } = await renderer.request(path)
    const { 'content-security-policy': policy, 'content-security-policy-report-only': reported } = headers
    return { policy, reported, body, link: headers.link }
  }
  try {
    for (const path of ['/', '/nothing'])
      expect(await policiesOf(path)).toMatchObject({ policy: 'script-src hello.example https://js.example' })
    expect(await policiesOf('/about')).toMatchObject({ policy: undefined, reported: undefined })
    expect(await policiesOf('/shared-form')).toMatchObject({ policy: undefined, reported: "script-src 'self'" })
    expect((await policiesOf('/nonce/own')).policy).toBe("script-src 'unsafe-inline'")
    const strict = await policiesOf('/data/plain')
    const nonce = /^script-src 'strict-dynamic' 'nonce-([^']+)'$/.exec(String(strict.policy))?.[1]
    expect(strict.link).toBeUndefined()
    for (const [tag] of strict.body.matchAll(/<script type="module"[^>]*>|<link rel="modulepreload"[^>]*>/g))
      expect(tag).toContain(`nonce="${nonce}"`)
    const posted = { url: '/', as: 'html', formState: [1, 'k', 'a', 0] }
    expect((await renderer.requestInner('/internal/render', posted)).headers['content-security-policy']).toBe(
      'script-src hello.example https://js.example',
    )
  } finally {
    await renderer.stop()
  }
})

test('D1 a crawler receives the whole page in place, without a script that moves parts', async () => {
  const slow = gate()
  gates.crawled = slow.opened
  setTimeout(() => slow.open('all of it'), 50)
  const { headers, body } = await under.renderer.request('/gated/crawled', {
    headers: { 'user-agent': 'Googlebot/2.1' },
  })
  expect(body).toContain('<p id="late">all of it</p>')
  expect(body).not.toContain('Waiting')
  expect(body).not.toContain('<template')
  expect(headers['content-security-policy']).not.toContain('nonce')
})

test('W12 a browser without a window receives the shell first, as any browser', async () => {
  const slow = gate()
  gates.headless = slow.opened
  setTimeout(() => slow.open('all of it'), 50)
  const { body } = await under.renderer.request('/gated/headless', {
    headers: {
      'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 HeadlessChrome/156.0.0.0 Safari/537.36',
    },
  })
  expect(body).toContain('Waiting')
})

test('D5 a page for all clients that suspends is cached whole', async () => {
  gates.kept = Promise.resolve('kept')
  for (const verdict of ['MISS', 'HIT']) {
    const { headers, body } = await under.renderer.request('/kept/kept')
    expect(headers['portico-internal-cache']).toBe(verdict)
    expect(body).toContain('<p id="late">kept</p>')
    expect(body).not.toContain('<template')
  }
})

test('E4 E5 an error in a part of a streamed page is reported only by its digest', async () => {
  const part = gate()
  gates.broken = part.opened
  const { seen } = open('/gated/broken')
  await expect.poll(() => seen.body).toContain('Waiting')
  part.open('error')
  await expect.poll(() => seen.ended).toBe(true)
  expect(seen.status).toBe(200)
  expect(seen.body).not.toContain('secret')
  const digest = /\$RX\("[^"]+","([0-9a-f]{10})"\)/.exec(seen.body)?.[1]
  expect(under.renderer.errors.map((line) => line.digest)).toEqual([digest])
})

test('D3 the browser handles redirect(), notFound() and forbidden() after the shell was sent, with noindex and no log line', async () => {
  for (const flow of ['not-found', 'redirect', 'forbidden']) {
    const part = gate()
    gates.flow = part.opened
    const { seen } = open('/gated/flow')
    await expect.poll(() => seen.body).toContain('Waiting')
    expect(seen.body).not.toContain('noindex')
    part.open(flow)
    await expect.poll(() => seen.ended).toBe(true)
    expect([seen.status, seen.body.includes('<meta name="robots" content="noindex">')]).toEqual([200, true])
    expect(under.renderer.errors).toEqual([])
  }
})

test('D3 a client of the whole page receives the status of redirect() and notFound()', async () => {
  for (const [flow, status] of [
    ['not-found', 404],
    ['redirect', 307],
  ] as const) {
    gates.whole = gates[flow] = Promise.resolve(flow)
    expect((await under.renderer.request('/gated/whole', { headers: { 'user-agent': 'Googlebot/2.1' } })).status).toBe(
      status,
    )
    expect((await under.renderer.request(`/kept/${flow}`)).status).toBe(status)
  }
})

test('D3 a client of the whole page receives the status of forbidden()', async () => {
  gates.whole = Promise.resolve('forbidden')
  const headers = { 'user-agent': 'Googlebot/2.1' }
  expect((await under.renderer.request('/gated/whole', { headers })).status).toBe(403)
})

test('R6 HEAD of a streamed page responds immediately', async () => {
  gates.head = new Promise(() => {})
  const { seen } = open('/gated/head', 'HEAD')
  await expect.poll(() => seen.ended).toBe(true)
  expect([seen.status, seen.body]).toEqual([200, ''])
  expect(seen.headers['content-type']).toBe('text/html; charset=utf-8')
  expect(under.renderer.errors).toEqual([])
})

test('D4 a client that disconnects in the middle of a document ends its render', async () => {
  gates.left = new Promise(() => {})
  const { seen, leave } = open('/gated/left')
  await expect.poll(() => seen.body).toContain('Waiting')
  leave()
  await expect.poll(() => seen.ended || under.renderer.errors.length).toBeDefined()
  gates.after = Promise.resolve('after')
  expect((await under.renderer.request('/gated/after')).body).toContain('after')
  expect(under.renderer.errors).toEqual([])
})

test('G4 a shell of any size is whole before the scripts, and parts of any size arrive in full', async () => {
  const warnings: Error[] = []
  const warn = (warning: Error) => warnings.push(warning)
  process.on('warning', warn)
  const parts = Array.from({ length: 20 }, () => gate())
  for (const [at, { opened }] of parts.entries()) gates[`long${at}`] = opened
  const outgoing = request({ host: '127.0.0.1', port: under.renderer.port, path: '/long', agent: false })
  let body = ''
  const ended = new Promise<void>((done) => {
    outgoing.on('response', async (response) => {
      response.setEncoding('utf8')
      // A slow reader: the stream waits for the connection repeatedly.
      for await (const chunk of response) {
        body += String(chunk)
        await new Promise((next) => setTimeout(next, 1))
      }
      done()
    })
  })
  outgoing.end()
  await expect.poll(() => body).toContain('id="__PORTICO_DATA__"')
  const shell = body.slice(0, body.indexOf('<script type="application/json"'))
  expect(shell.match(/\u00e9{1000}/g)).toHaveLength(300)
  expect(shell).toMatch(/<\/div>(<script[^>]*>[^<]*<\/script>)?$/)
  for (const { open: finish } of parts) {
    finish('x')
    await new Promise((next) => setTimeout(next, 2))
  }
  await ended
  process.off('warning', warn)
  expect(body.match(/x{1000}/g)).toHaveLength(20 * 200)
  expect(body).not.toContain('\ufffd')
  expect(warnings).toEqual([])
})
