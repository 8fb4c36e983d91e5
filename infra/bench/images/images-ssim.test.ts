import { expect, test } from 'vitest'
import { ssim } from './images-ssim.ts'

type Luma = Parameters<typeof ssim>[0]

function createImage(value: (x: number, y: number) => number): Luma {
  const data = Buffer.from(Array.from({ length: 32 * 32 }, (_, at) => value(at % 32, Math.floor(at / 32))))
  return { data, width: 32, height: 32 }
}
const waves = createImage((x, y) => 128 + Math.round(60 * Math.sin(x / 3) * Math.cos(y / 4)))

test('an image is like itself, less like a blurred one, and unlike its negative', () => {
  const flat = createImage(() => 128)
  const near = createImage((x, y) => (waves.data[y * 32 + x] ?? 0) + ((x + y) % 2 === 0 ? 3 : -3))
  expect(ssim(waves, waves)).toBe(1)
  expect(ssim(waves, near)).toBeGreaterThan(0.95)
  expect(ssim(waves, near)).toBeLessThan(1)
  expect(ssim(waves, flat)).toBeLessThan(0.3)
  expect(
    ssim(
      waves,
      createImage((x, y) => 255 - (waves.data[y * 32 + x] ?? 0)),
    ),
  ).toBeLessThan(0)
})

test('images of two sizes are rejected', () => {
  expect(() => ssim(waves, { ...waves, width: 16, height: 64 })).toThrow('size')
})
