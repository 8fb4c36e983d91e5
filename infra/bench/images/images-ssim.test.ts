import { expect, test } from 'vitest'
import { type Luma, ssim } from './images-ssim.ts'

function picture(value: (x: number, y: number) => number): Luma {
  const data = Buffer.from(Array.from({ length: 32 * 32 }, (_, at) => value(at % 32, Math.floor(at / 32))))
  return { data, width: 32, height: 32 }
}
const waves = picture((x, y) => 128 + Math.round(60 * Math.sin(x / 3) * Math.cos(y / 4)))

test('a picture is like itself, less like a blurred one, and not like its negative', () => {
  const flat = picture(() => 128)
  const near = picture((x, y) => (waves.data[y * 32 + x] ?? 0) + ((x + y) % 2 === 0 ? 3 : -3))
  expect(ssim(waves, waves)).toBe(1)
  expect(ssim(waves, near)).toBeGreaterThan(0.95)
  expect(ssim(waves, near)).toBeLessThan(1)
  expect(ssim(waves, flat)).toBeLessThan(0.3)
  expect(
    ssim(
      waves,
      picture((x, y) => 255 - (waves.data[y * 32 + x] ?? 0)),
    ),
  ).toBeLessThan(0)
})

test('pictures of two sizes are refused', () => {
  expect(() => ssim(waves, { ...waves, width: 16, height: 64 })).toThrow('size')
})
