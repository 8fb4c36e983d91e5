// The kinds of sources besides those of app.test.ts: TIFF, and what compatibility mode passes through.

import sharp from 'sharp'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import type { ServedSettings } from './config.ts'
import { type ImagesUnderTest, openPool, startImages } from './testing/images-under-test.ts'
import { type Origin, startOrigin } from './testing/origin.ts'
import { halves } from './testing/source-images.ts'
import { undecodedImages } from './testing/undecoded-images.ts'

const pool = openPool()
// On a busy machine an encoder takes longer to start than a request waits for one.
beforeAll(() => pool.warm())
afterAll(() => pool.close())
let origin: Origin
let images: ImagesUnderTest
const jpeg = await halves(200, 100)

beforeEach(async () => {
  origin = await startOrigin({ '/a.jpg': { headers: { 'cache-control': 'max-age=600' }, body: jpeg } })
})
afterEach(async () => {
  await images.close()
  await origin.close()
})
const open = async (settings: Partial<ServedSettings> = {}) => {
  images = await startImages({ siteUrl: origin.url, pool, settings })
}
const cache = (response: Response) => response.headers.get('x-portico-cache')
const bytes = async (response: Response) => Buffer.from(await response.arrayBuffer())

test('I2 I3 TIFF is decoded', async () => {
  await open()
  origin.responses['/a.tiff'] = await halves(200, 100, 'tiff')
  for (const [accept, format] of [
    ['image/webp', 'webp'],
    ['*/*', 'jpeg'],
  ] as const) {
    const response = await images.get('/a.tiff', { accept })
    expect(await sharp(await bytes(response)).metadata()).toMatchObject({ format, width: 64, height: 32 })
  }
})

test('I3 X types without a decoder pass through in compatibility mode, as attachments in a sandbox', async () => {
  const files = await undecodedImages()
  for (const [name, , body] of files) origin.responses[`/${name}`] = { headers: { 'content-type': 'image/png' }, body }
  await open()
  for (const [name] of files) expect((await images.get(`/${name}`)).status, name).toBe(415)
  await images.close()
  await open({ semantics: { undecodedImages: true }, maximumResponseBody: 2000 })
  for (const [name, type, body] of files) {
    const response = await images.get(`/${name}`)
    expect(response.headers.get('content-type'), name).toBe(type)
    expect(response.headers.get('content-disposition')).toBe(`attachment; filename="${name}"`)
    expect(response.headers.get('content-security-policy')).toMatch(/; sandbox;$/)
    expect(response.headers.get('x-content-type-options')).toBe('nosniff')
    expect((await bytes(response)).equals(body)).toBe(true)
  }
  origin.responses['/large.bmp'] = Buffer.concat([files[1]![2], Buffer.alloc(2000)])
  expect((await images.get('/large.bmp')).status).toBe(413)
  const facts = (await (await images.fetch('/_portico/image?url=/a.bmp&placeholder=1')).json()) as object
  expect(facts).toEqual({ type: 'image/bmp', width: 2, height: 3, frames: 1, placeholder: null })
})

test('I1 X parameters without a meaning are ignored at /_next/image with `unknownImageParameters` only', async () => {
  await open({ semantics: { unknownImageParameters: true } })
  const query = '?url=/a.jpg&w=64&q=75'
  const status = async (path: string) => (await images.fetch(path)).status
  expect(cache(await images.fetch(`/_next/image${query}`))).toBe('MISS')
  expect(cache(await images.fetch(`/_next/image${query}&dpl=abc&w2=1`))).toBe('HIT')
  expect(await status(`/_portico/image${query}&dpl=abc&w2=1`)).toBe(400)
  expect(await status(`/_next/image${query}&w=64`)).toBe(400)
  expect(origin.requests).toHaveLength(1)
  await images.close()
  await open()
  expect(await status(`/_next/image${query}&dpl=abc`)).toBe(400)
})
