// Responses of hostile sources, through the whole service: the status is always one of I11, and the service survives.

import type { LookupFunction } from 'node:net'
import { createGuardedLookup } from '@portico/shared/kit/addresses/address-guard.ts'
import { createRandom } from '@portico/shared/kit/testing/random.ts'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { ServedSettings } from './config.ts'
import { damage } from './testing/damage.ts'
import { type ImagesUnderTest, openPool, startImages, type TestOptions } from './testing/images-under-test.ts'
import { type Origin, startOrigin } from './testing/origin.ts'
import { animated, animatedPng, bombPng, halves, SVG } from './testing/source-images.ts'
import { bmp, ico } from './testing/undecoded-images.ts'

const pool = openPool()
// On a busy machine an encoder takes longer to start than a request waits for one.
beforeAll(() => pool.warm())
afterAll(() => pool.close())
let origin: Origin
let images: ImagesUnderTest
const jpeg = await halves(120, 80)
/** Represents a public address of the internet; the test's lookup connects it to this machine. */
const PUBLIC = '8.8.8.8'

beforeEach(async () => {
  origin = await startOrigin({ '/good.jpg': jpeg })
})
afterEach(async () => {
  // After all hostile inputs the service still works.
  expect((await images.get('/good.jpg', { w: 128 })).status).toBe(200)
  await images.close()
  await origin.close()
})
const open = async (settings: Partial<ServedSettings> = {}, options: Partial<TestOptions> = {}) => {
  images = await startImages({ siteUrl: origin.url, pool, settings, ...options })
}

describe('bytes', () => {
  test('I3 I11 truncated images are 415', async () => {
    await open()
    for (const format of ['jpeg', 'png', 'webp', 'avif', 'gif', 'tiff'] as const) {
      const whole = await halves(120, 80, format)
      for (const share of [0.02, 0.2, 0.5, 0.8]) {
        const path = `/${format}-${share}`
        origin.responses[path] = whole.subarray(0, Math.floor(whole.length * share))
        const { status } = await images.get(path)
        // A GIF has an end marker only at its end: a truncated GIF may be a valid image.
        expect(format === 'gif' ? [200, 415] : [415], path).toContain(status)
      }
    }
  })

  test('I3 I7 I11 damaged images are an image, 413 or 415, and an encoder that dies of one is replaced', async () => {
    await open({ maximumPixels: 1_000_000 })
    const random = createRandom(5).next
    const wholes = await Promise.all(
      (['jpeg', 'png', 'webp', 'avif', 'gif', 'tiff'] as const).map((one) => halves(90, 60, one)),
    )
    wholes.push(await animated('gif'), await animated('webp'), await animatedPng(3))
    for (let index = 0; index < 160; index++) {
      const path = `/damaged-${index}`
      origin.responses[path] = damage(wholes[index % wholes.length]!, random)
      const response = await images.get(path)
      expect([200, 413, 415], path).toContain(response.status)
      expect(response.headers.get('x-content-type-options')).toBe('nosniff')
    }
  })

  test('I3 I11 a wrong type is 415 for any Content-Type and file name', async () => {
    await open()
    const wrong: Record<string, Buffer | string> = {
      svg: SVG,
      html: '<!DOCTYPE html><img src=x onerror=alert(1)>',
      script: 'GIF89a=1;alert(1)'.replace('GIF89a', 'GIF88a'),
      pdf: '%PDF-1.7\n1 0 obj\n',
      zip: Buffer.from('504b0304', 'hex'),
      elf: Buffer.from('7f454c46', 'hex'),
      mp4: Buffer.from('0000001866747970697336360000000069736f36', 'hex'),
      heic: Buffer.from('00000018667479706865696300000000686569636d696631', 'hex'),
      bmp: bmp(),
      ico: await ico(),
      zeros: Buffer.alloc(10_000),
    }
    for (const [name, body] of Object.entries(wrong)) {
      origin.responses[`/${name}.png`] = { headers: { 'content-type': 'image/png' }, body }
      const response = await images.get(`/${name}.png`)
      expect(response.status, name).toBe(415)
      expect(response.headers.get('content-type'), name).toContain('text/plain')
    }
  })

  test('I3 an image that is also a page or an archive loses everything but its pixels', async () => {
    await open()
    const tail = Buffer.from('<script>alert(1)</script>PK\u0003\u0004')
    for (const format of ['jpeg', 'png', 'webp'] as const) {
      origin.responses[`/both.${format}`] = Buffer.concat([await halves(60, 40, format), tail])
      for (const accept of ['image/avif', 'image/webp', '*/*']) {
        const response = await images.get(`/both.${format}`, { accept })
        expect(response.status).toBe(200)
        expect(response.headers.get('content-type')).toMatch(/^image\//)
        expect(Buffer.from(await response.arrayBuffer()).includes('<script>')).toBe(false)
      }
    }
  })

  test('I3 X an icon or bitmap that is also a page is never a document, whatever the settings say', async () => {
    await open({
      semantics: { undecodedImages: true },
      contentDispositionType: 'inline',
      contentSecurityPolicy: "img-src 'self'",
    })
    const page = Buffer.from('<!DOCTYPE html><script>alert(document.domain)</script>')
    const html = { 'content-type': 'text/html' }
    origin.responses['/both.html'] = { headers: html, body: await ico(page) }
    origin.responses['/tail.html'] = { headers: html, body: Buffer.concat([bmp(), page]) }
    origin.responses['/jxl.html'] = { headers: html, body: Buffer.concat([Buffer.from('ff0a', 'hex'), page]) }
    for (const [path, type] of [
      ['/both.html', 'image/x-icon'],
      ['/tail.html', 'image/bmp'],
      ['/jxl.html', 'image/jxl'],
    ] as const) {
      const { status, headers } = await images.get(path, { accept: 'text/html' })
      expect([status, headers.get('content-type'), headers.get('x-content-type-options')]).toEqual([
        200,
        type,
        'nosniff',
      ])
      expect(headers.get('content-disposition')).toMatch(/^attachment; filename="\w+\.(ico|bmp|jxl)"$/)
      expect(headers.get('content-security-policy')).toBe("img-src 'self'; sandbox;")
    }
    for (const head of ['00000100', '424d', '49492a00', '69636e73', '0000001866747970']) {
      const body = Buffer.concat([Buffer.from(head, 'hex'), page])
      origin.responses[`/${head}.html`] = { headers: html, body }
      expect((await images.get(`/${head}.html`)).status, head).toBe(415)
    }
  })

  test('I4 I11 too many pixels, frames or decompressed bytes are 413', async () => {
    await open({ maximumResponseBody: 200_000 })
    origin.responses['/pixels.png'] = bombPng(30_000, 30_000)
    origin.responses['/frames.png'] = await animatedPng(50_000)
    let sent = 0
    let closed = false
    origin.responses['/endless.jpg'] = (_request, response) => {
      response.once('close', () => {
        closed = true
      })
      const more = () => {
        while (!response.destroyed && response.write(jpeg)) sent += jpeg.length
      }
      response.on('drain', more)
      more()
    }
    for (const path of ['/pixels.png', '/frames.png', '/endless.jpg'])
      expect((await images.get(path)).status, path).toBe(413)
    await expect.poll(() => closed).toBe(true)
    // The buffers of both sockets hold bytes in addition to the limit.
    expect(sent).toBeLessThan(20_000_000)
  })
})

describe('addresses', () => {
  const patterns = { remotePatterns: [{ hostname: '**' }] }
  const remote = (host: string, path: string) => `http://${host}:${origin.url.port}${path}`

  const asHeader = (url: string) => url.replace(/[^\x20-\x7e]/g, encodeURIComponent)
  const resolveHere = (options: Parameters<LookupFunction>[1], callback: Parameters<LookupFunction>[2]) =>
    options.all ? callback(null, [{ address: '127.0.0.1', family: 4 }]) : callback(null, '127.0.0.1', 4)

  test.each([
    '127.0.0.1',
    '127.1',
    '2130706433',
    '0x7f000001',
    '0x7f.1',
    '017700000001',
    '0177.0.0.1',
    '0',
    '127.0.0.1.',
    '%31%32%37.0.0.1',
    '①②⑦.⓪.⓪.①',
    '127。0。0。1',
    'localhost',
    'LocalHost.',
    'a.localhost',
    '[::1]',
    '[0:0:0:0:0:0:0:1]',
    '[::]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[::127.0.0.1]',
    '[64:ff9b::7f00:1]',
    '[2002:7f00:1::]',
    '[fe80::1]',
    '[fd00::1]',
    '10.0.0.1',
    '172.16.0.1',
    '192.168.0.1',
    '100.64.0.1',
    '169.254.169.254',
    '224.0.0.1',
    '255.255.255.255',
  ])('I4 I11 the private address %s is 400, also behind a redirect', async (host) => {
    const lookup = createGuardedLookup(false, async () => [{ address: '127.0.0.1', family: 4 }])
    // One name resolves to this machine without a check, as if it were public.
    const leadHere: LookupFunction = (name, options, callback) =>
      name === 'public.test' ? resolveHere(options, callback) : lookup(name, options, callback)
    await open(patterns, { network: { lookup: leadHere } })
    expect((await images.get(remote(host, '/good.jpg'))).status).toBe(400)
    origin.responses['/hop.jpg'] = { status: 302, headers: { location: asHeader(remote(host, '/good.jpg')) } }
    const before = origin.count('/good.jpg')
    expect((await images.get(remote('public.test', '/hop.jpg'))).status).toBe(400)
    expect(origin.count('/good.jpg')).toBe(before)
    expect(origin.count('/hop.jpg')).toBe(1)
  })

  test('I4 I11 a name that resolves to a public address in the check and to a private one later reaches no server', async () => {
    let lookups = 0
    const guarded = createGuardedLookup(false, async () => [
      { address: lookups++ === 0 ? PUBLIC : '127.0.0.1', family: 4 },
    ])
    const seen: string[] = []
    const lookup: LookupFunction = (name, options, callback) =>
      guarded(name, { ...options, all: true }, (error, addresses) => {
        if (error || !Array.isArray(addresses)) return callback(error, [])
        seen.push(...addresses.map(({ address }) => address))
        resolveHere(options, callback)
      })
    await open(patterns, { network: { lookup } })
    const closing = { 'cache-control': 'max-age=600', connection: 'close' }
    origin.responses['/first.jpg'] = { headers: closing, body: jpeg }
    origin.responses['/secret.jpg'] = { headers: closing, body: jpeg }
    origin.responses['/to-secret.jpg'] = { status: 302, headers: { ...closing, location: '/secret.jpg' } }
    expect((await images.get(remote('rebinding.test', '/first.jpg'))).status).toBe(200)
    for (const path of ['/secret.jpg', '/to-secret.jpg'])
      expect((await images.get(remote('rebinding.test', path))).status, path).toBe(400)
    lookups = 0
    // The second hop resolves the name again, and is checked again.
    origin.responses['/to-secret.jpg?again'] = origin.responses['/to-secret.jpg']
    expect((await images.get(remote('rebinding.test', '/to-secret.jpg?again'))).status).toBe(400)
    expect(origin.count('/to-secret.jpg?again')).toBe(1)
    expect(origin.count('/secret.jpg')).toBe(0)
    expect(seen.every((address) => address === PUBLIC)).toBe(true)
  })

  test('I4 I11 chains of redirects end: three are followed, four and loops are 502, each hop is checked', async () => {
    await open({ localPatterns: [{ pathname: '/**', search: '' }] })
    const to = (location: string) => ({ status: 307, headers: { location } })
    Object.assign(origin.responses, {
      '/1': to('/2'),
      '/2': to('/3'),
      '/3': to('/4'),
      '/4': to('/good.jpg'),
      '/loop': to('/loop'),
      '/out': to('https://elsewhere.test/a.jpg'),
      '/data': to('data:image/png;base64,AAAA'),
      '/itself': to('/_portico/image?url=/itself&w=64'),
      '/nowhere': { status: 302 },
    })
    const statuses: Record<string, number> = {}
    for (const path of ['/2', '/1', '/loop', '/out', '/data', '/itself', '/nowhere'])
      statuses[path] = (await images.get(path)).status
    expect(statuses).toEqual({
      '/2': 200,
      '/1': 502,
      '/loop': 502,
      '/out': 400,
      '/data': 400,
      '/itself': 400,
      '/nowhere': 400,
    })
  })

  test('I4 I5 X15 an old variant does not cover a redirect to a path that middleware guards now', async () => {
    let isGuarded = false
    await open({}, { network: { isGuarded: () => isGuarded } })
    origin.responses['/moved.jpg'] = { status: 302, headers: { location: '/good.jpg' } }
    expect((await images.get('/moved.jpg')).status).toBe(200)
    isGuarded = true
    images.pass(601)
    expect((await images.get('/moved.jpg')).headers.get('x-portico-cache')).toBe('STALE')
    const statusOf = async () => (await images.get('/moved.jpg')).status
    await expect.poll(statusOf).toBe(400)
    // After the failure has expired, too.
    images.pass(61)
    expect(await statusOf()).toBe(400)
  })
})
