// Small real images of every kind, drawn by sharp or byte by byte.

import { deflateSync } from 'node:zlib'
import sharp from 'sharp'

/** An image of two halves: left red, right blue. */
export async function halves(
  width: number,
  height: number,
  format: 'jpeg' | 'png' | 'webp' | 'avif' | 'gif' | 'tiff' = 'jpeg',
): Promise<Buffer> {
  const left = await flat(Math.ceil(width / 2), height, '#e01010')
    .png()
    .toBuffer()
  return flat(width, height, '#1010e0')
    .composite([{ input: left, left: 0, top: 0 }])
    .removeAlpha()
    .toFormat(format)
    .toBuffer()
}

/** An image of noise, which takes long to encode and hardly compresses. */
export function noisy(width: number, height: number): Promise<Buffer> {
  const noise = { type: 'gaussian', mean: 128, sigma: 30 } as const
  return sharp({ create: { width, height, channels: 3, background: 'black', noise } })
    .jpeg()
    .toBuffer()
}

/** A JPEG of soft shapes with the size and cost of a photograph. */
export async function soft(width: number, height: number): Promise<Buffer> {
  const coarse = await sharp(await noisy(Math.ceil(width / 6), Math.ceil(height / 6)))
    .png()
    .toBuffer()
  return sharp(coarse).resize(width, height, { kernel: 'cubic', fit: 'fill' }).jpeg().toBuffer()
}

/** Width of an image that decodes completely; undefined for other bytes. */
export async function decodedWidth(body: Buffer): Promise<number | undefined> {
  const decoded = await sharp(body, { failOn: 'warning' })
    .raw()
    .toBuffer({ resolveWithObject: true })
    .catch(() => undefined)
  return decoded?.info.width
}

/** Red with half opacity. */
export function halfTransparent(width: number, height: number): Promise<Buffer> {
  return sharp({ create: { width, height, channels: 4, background: { r: 255, g: 0, b: 0, alpha: 0.5 } } })
    .png()
    .toBuffer()
}

/** Stored turned by 90 degrees with an orientation tag: width and height of the shown image are swapped. */
export async function turned(width: number, height: number): Promise<Buffer> {
  return sharp(await halves(width, height))
    .withMetadata({ orientation: 6 })
    .jpeg()
    .toBuffer()
}

export async function cmyk(width: number, height: number): Promise<Buffer> {
  return flat(width, height, '#e01010').toColourspace('cmyk').jpeg({ quality: 95 }).toBuffer()
}

/** Full red of Display P3: without conversion the colour would look dull on an sRGB screen. */
export async function displayP3(width: number, height: number): Promise<Buffer> {
  return flat(width, height, '#e01010').withIccProfile('p3').png().toBuffer()
}

/** An image with a GPS location, as a phone writes it. */
export async function withLocation(width: number, height: number): Promise<Buffer> {
  return flat(width, height, '#e01010')
    .withExif({ IFD0: { Copyright: 'private-owner' }, IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '51/1 30/1 0/1' } })
    .jpeg()
    .toBuffer()
}

/** A GIF or WebP of two frames. */
export async function animated(format: 'gif' | 'webp', width = 20, height = 10): Promise<Buffer> {
  const frames = await Promise.all(['#ff0000', '#0000ff'].map((colour) => flat(width, height, colour).png().toBuffer()))
  return sharp(frames, { join: { animated: true } })
    .toFormat(format, { loop: 0, delay: [100, 100] })
    .toBuffer()
}

/** A PNG of a few hundred bytes whose header claims `width` x `height` pixels. */
export function bombPng(width: number, height: number): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 2, 0, 0, 0], 8)
  const zeros = deflateSync(Buffer.alloc(100_000))
  return Buffer.concat([
    PNG_SIGNATURE,
    pngChunk('IHDR', header),
    pngChunk('IDAT', zeros),
    pngChunk('IEND', Buffer.alloc(0)),
  ])
}

/** A PNG with an animation chunk for this number of frames in front of its data. */
export async function animatedPng(frames: number): Promise<Buffer> {
  const png = await flat(8, 8, '#ff0000').png().toBuffer()
  const control = Buffer.alloc(8)
  control.writeUInt32BE(frames, 0)
  return Buffer.concat([png.subarray(0, 33), pngChunk('acTL', control), png.subarray(33)])
}

export const SVG =
  '<?xml version="1.0"?><!-- a drawing --><svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 30 20"><script>alert(1)</script></svg>'

const PNG_SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex')

function pngChunk(name: string, data: Buffer): Buffer {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(data.length)
  const body = Buffer.concat([Buffer.from(name, 'latin1'), data])
  const check = Buffer.alloc(4)
  check.writeUInt32BE(crc(body))
  return Buffer.concat([length, body, check])
}

/** CRC-32 of the PNG specification, annex D. Written here so that the test images do not depend on the tested code. */
function crc(bytes: Buffer): number {
  let value = 0xffffffff
  for (const byte of bytes) {
    value ^= byte
    for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1
  }
  return (value ^ 0xffffffff) >>> 0
}

function flat(width: number, height: number, background: string) {
  return sharp({ create: { width, height, channels: 3, background } })
}
