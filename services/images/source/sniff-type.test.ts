import { expect, test } from 'vitest'
import { animated, animatedPng, bombPng, halves, SVG } from '../testing/source-images.ts'
import { sniffType } from './sniff-type.ts'

test.each(['jpeg', 'png', 'webp', 'avif', 'gif'] as const)(
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
  ['HEIC', '\0\0\0\u0018ftypheic\0\0\0\0mif1heic'],
])('I3 detects no image in %s', (_, text) => {
  expect(sniffType(Buffer.from(text, 'latin1'))).toBeUndefined()
})

test('I3 ends its walk on every truncation of every format', async () => {
  for (const bytes of [
    await animated('gif'),
    await animated('webp'),
    await animatedPng(3),
    await halves(9, 9, 'avif'),
    await halves(9, 9),
  ])
    for (let length = 0; length < Math.min(bytes.length, 700); length++)
      expect(() => sniffType(bytes.subarray(0, length))).not.toThrow()
})
