import { expect, test } from 'vitest'
import { animated, animatedPng, bombPng, halves, SVG } from '../testing/source-images.ts'
import { bmp, ico, undecodedImages } from '../testing/undecoded-images.ts'
import { sniffType } from './sniff.ts'

test.each(['jpeg', 'png', 'webp', 'avif', 'gif', 'tiff'] as const)(
  'I3 detects %s and its size by the bytes',
  async (format) => {
    expect(sniffType(await halves(40, 30, format))).toEqual({
      type: `image/${format}`,
      width: 40,
      height: 30,
      frames: 1,
    })
  },
)

test('I3 counts the frames of animated GIF, WebP and PNG', async () => {
  expect(sniffType(await animated('gif'))).toMatchObject({ type: 'image/gif', width: 20, height: 10, frames: 2 })
  expect(sniffType(await animated('webp'))).toMatchObject({ type: 'image/webp', width: 20, height: 10, frames: 2 })
  expect(sniffType(await animatedPng(7))).toMatchObject({ type: 'image/png', frames: 7 })
})

test('I4 reads the size in the header of a bomb without decompression', () => {
  expect(sniffType(bombPng(60_000, 60_000))).toMatchObject({ width: 60_000, height: 60_000 })
})

test.each([
  [SVG, { width: 30, height: 20 }],
  ['\uFEFF \n<svg width="12px" height="8">', { width: 12, height: 8 }],
  ['<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "x"><svg/>', {}],
])('I3 detects SVG by its first element: %j', (text, size) => {
  expect(sniffType(Buffer.from(text))).toEqual({ type: 'image/svg+xml', frames: 1, ...size })
})

test.each([
  ['HTML', '<!DOCTYPE html><html><svg></svg></html>'],
  ['HTML that begins with a comment', '<!-- <svg> --><html>'],
  ['an unclosed comment', '<!-- <svg>'],
  ['a longer name', '<svgx>'],
  ['text', 'hello'],
  ['nothing', ''],
  ['a script', 'GIF=1;alert(1)'],
  ['PDF', '%PDF-1.7'],
  ['a short file type box', '\0\0\0\u000cftyp'],
  ['HEIC without its whole head', '\0\0\0\u0018ftypheic'],
  ['a comment with the brand of HEIC', '<!--ftypheic--><svgx></svgx>'],
  ['a comment with the brand of AVIF', '<!--ftypavif--><html></html>'],
  ['MP4', '\0\0\0\u0018ftypisom\0\0\0\0isommp42'],
  ['text that begins with BM', 'BM<html><script>alert(1)</script></html>'],
  ['text that begins with II', 'II*<html><script>alert(1)</script></html>'],
  ['text that begins with icns', 'icns<html><script>alert(1)</script>'],
  ['a page behind the head of an icon', '\0\0\u0001\0<html><script>alert(1)</script></html>'],
  ['a cursor', '\0\0\u0002\0\u0001\0'],
])('I3 detects no image in %s', (_, text) => {
  expect(sniffType(Buffer.from(text, 'latin1'))).toBeUndefined()
})

test('I3 detects the types that are not decoded, with their sizes', async () => {
  for (const [name, type, bytes] of await undecodedImages()) expect(sniffType(bytes), name).toMatchObject({ type })
  expect(sniffType(await ico())).toMatchObject({ width: 20, height: 10 })
  for (const height of [3, -3]) expect(sniffType(bmp(height))).toMatchObject({ width: 2, height: 3 })
})

test('I3 reads the size of a TIFF in both byte orders and as BigTIFF', () => {
  const tiff = (head: string, entries: string) => sniffType(Buffer.from(head + entries, 'hex'))
  const big = '4d4d002a00000008000201000004000000010000003c01010003000000010028000000000000'
  expect(tiff(big, '')).toEqual({ type: 'image/tiff', frames: 1, width: 60, height: 40 })
  const bigTiff = '49492b00080000001000000000000000' + '0200000000000000'
  const entries =
    '00010400' + '0100000000000000' + '3c00000000000000' + '01010300' + '0100000000000000' + '2800000000000000'
  expect(tiff(bigTiff, entries)).toEqual({ type: 'image/tiff', frames: 1, width: 60, height: 40 })
  for (const head of ['49492a00ffffffff', '49492a0008000000', big.slice(0, 60), '49492b000800'])
    expect(tiff(head, ''), head).toBeUndefined()
})

test('I3 ends its walk on every truncation of every format', async () => {
  for (const bytes of [
    await animated('gif'),
    await animated('webp'),
    await animatedPng(3),
    await halves(9, 9, 'avif'),
    await halves(9, 9),
    await halves(9, 9, 'tiff'),
    ...(await undecodedImages()).map(([, , bytes]) => bytes),
  ])
    for (let length = 0; length < Math.min(bytes.length, 700); length++)
      expect(() => sniffType(bytes.subarray(0, length))).not.toThrow()
})
