import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import {
  animated,
  bombPng,
  cmyk,
  displayP3,
  halfTransparent,
  halves,
  turned,
  withLocation,
} from '../testing/source-images.ts'
import type { EncodeResult, EncodeWork } from './encoder-frames.ts'
import { runPipeline } from './pipeline.ts'

type Encoded = Extract<EncodeResult, { kind: 'encoded' }>

function run(source: Buffer, changes: Partial<EncodeWork> = {}) {
  const effort = { avif: 0, webp: 2 }
  return runPipeline({ source, target: 'webp', width: 64, quality: 95, effort, maximumPixels: 1_000_000, ...changes })
}

async function encoded(source: Buffer, changes: Partial<EncodeWork> = {}): Promise<Encoded> {
  const result = await run(source, changes)
  if (result.kind !== 'encoded') throw new Error(`${result.kind}: ${result.reason}`)
  return result
}

/** The red, green, blue and alpha values of one pixel. */
async function pixel(image: Buffer, x: number, y: number): Promise<number[]> {
  const { data, info } = await sharp(image)
    .ensureAlpha()
    .toColourspace('srgb')
    .raw()
    .toBuffer({ resolveWithObject: true })
  const at = (y * info.width + x) * info.channels
  return [...data.subarray(at, at + 4)]
}

function near(actual: number[], wanted: number[], tolerance = 12) {
  const distance = Math.max(...wanted.map((value, index) => Math.abs(value - actual[index]!)))
  expect(distance, `${actual} is not near ${wanted}`).toBeLessThanOrEqual(tolerance)
}

describe('the pipeline', () => {
  test.each(['jpeg', 'png', 'webp', 'avif', 'gif'] as const)('I2 makes AVIF and WebP of %s', async (format) => {
    const source = await halves(200, 100, format)
    for (const target of ['avif', 'webp'] as const) {
      const { body, type, width, height } = await encoded(source, { target })
      expect({ type, width, height }).toEqual({ type: `image/${target}`, width: 64, height: 32 })
      near(await pixel(body, 8, 16), [224, 16, 16], 25)
      near(await pixel(body, 56, 16), [16, 16, 224], 25)
    }
  })

  test.each([
    ['jpeg', 'image/jpeg'],
    ['png', 'image/png'],
    ['webp', 'image/jpeg'],
    ['avif', 'image/jpeg'],
  ] as const)("I2 encodes the source's own format, else JPEG: %s to %s", async (format, type) => {
    expect((await encoded(await halves(80, 40, format), { target: 'own' })).type).toBe(type)
  })

  test('I2 encodes PNG for a source with alpha whose own format is neither JPEG nor PNG', async () => {
    const source = await sharp(await halfTransparent(40, 40))
      .webp()
      .toBuffer()
    const { type, body } = await encoded(source, { target: 'own' })
    expect(type).toBe('image/png')
    near(await pixel(body, 20, 20), [255, 0, 0, 128])
  })

  test('I2 is never wider than the source', async () => {
    expect(await encoded(await halves(40, 20), { width: 3840 })).toMatchObject({ width: 40, height: 20 })
  })

  test('I2 keeps transparency', async () => {
    for (const target of ['avif', 'webp', 'own'] as const)
      near(await pixel((await encoded(await halfTransparent(80, 80), { target })).body, 30, 30), [255, 0, 0, 128])
  })

  test('I2 applies the orientation and drops all metadata', async () => {
    const { body, width, height } = await encoded(await turned(200, 100))
    expect({ width, height }).toEqual({ width: 64, height: 128 })
    near(await pixel(body, 32, 10), [224, 16, 16], 25)
    near(await pixel(body, 32, 118), [16, 16, 224], 25)
    const located = await withLocation(60, 60)
    expect(located.includes('private-owner')).toBe(true)
    for (const target of ['avif', 'webp', 'own'] as const) {
      const image = (await encoded(located, { target })).body
      const { exif, icc, xmp, orientation } = await sharp(image).metadata()
      expect({ exif, icc, xmp, orientation }).toEqual({
        exif: undefined,
        icc: undefined,
        xmp: undefined,
        orientation: undefined,
      })
      expect(image.includes('private-owner')).toBe(false)
    }
  })

  test('I2 shows CMYK and wide-gamut sources in their colours', async () => {
    const plain = await pixel((await encoded(await halves(60, 60))).body, 8, 30)
    near(await pixel((await encoded(await cmyk(60, 60))).body, 8, 30), plain, 30)
    const wide = await displayP3(60, 60)
    // Without the profile the same numbers are another colour: the result if the pipeline ignored the profile.
    const { data } = await sharp(wide, { ignoreIcc: true }).raw().toBuffer({ resolveWithObject: true })
    expect(Math.abs(data[1]! - plain[1]!)).toBeGreaterThan(20)
    near(await pixel((await encoded(wide)).body, 8, 30), plain, 8)
  })

  test('I2 makes three channels of a grey source', async () => {
    const grey = await sharp(await halves(60, 60))
      .greyscale()
      .png()
      .toBuffer()
    const [red, green, blue] = await pixel((await encoded(grey, { target: 'avif' })).body, 8, 30)
    expect(Math.max(Math.abs(red! - green!), Math.abs(green! - blue!))).toBeLessThan(6)
  })

  test('I3 reports an incomplete image as undecodable', async () => {
    for (const format of ['jpeg', 'png', 'webp', 'avif'] as const) {
      const whole = await halves(300, 300, format)
      expect((await run(whole.subarray(0, Math.floor(whole.length * 0.6)))).kind, format).toBe('undecodable')
    }
    expect((await run(Buffer.from('no image'))).kind).toBe('undecodable')
    expect((await run(Buffer.alloc(0))).kind).toBe('undecodable')
  })

  test('I4 refuses a bomb by its header, without decoding it', async () => {
    const started = performance.now()
    expect((await run(bombPng(50_000, 50_000), { maximumPixels: 50_000_000 })).kind).toBe('too-many-pixels')
    expect((await run(bombPng(1001, 1000))).kind).toBe('too-many-pixels')
    expect(performance.now() - started).toBeLessThan(500)
  })

  test('I3 bytes after the image in a polyglot file are dropped', async () => {
    const source = Buffer.concat([await halves(60, 60), Buffer.from('<script>alert(1)</script>')])
    for (const target of ['avif', 'webp', 'own'] as const) {
      const result = await run(source, { target })
      if (result.kind === 'encoded') expect(result.body.includes('<script>')).toBe(false)
    }
    expect((await run(source)).kind).toBe('encoded')
  })

  test('I8 returns the size as shown and makes a tiny placeholder', async () => {
    const { width, height, body, type } = await encoded(await turned(200, 100), { target: 'facts', width: 0 })
    expect({ width, height, type }).toEqual({ width: 100, height: 200, type: 'image/webp' })
    expect(body.length).toBeLessThan(200)
    expect(await sharp(body).metadata()).toMatchObject({ width: 4, height: 8 })
    expect((await encoded(await animated('gif'), { target: 'facts', width: 0 })).width).toBe(20)
  })

  test('I2 an image too long for WebP is made shorter, not refused', async () => {
    const long = await sharp({ create: { width: 20, height: 20_000, channels: 3, background: 'red' } })
      .jpeg()
      .toBuffer()
    const { height } = await encoded(long, { width: 3840 })
    expect(height).toBe(16_383)
  })
})
