import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import { readImage } from './read-image.ts'

const drawn = (width = 40, height = 20) =>
  sharp({ create: { width, height, channels: 3, background: 'teal' } }).withExif({ IFD0: { Make: 'Hidden Street 7' } })
const refusalOf = async (file: Buffer) => {
  const read = await readImage(file)
  return 'refusal' in read ? read.refusal : undefined
}

describe('the image of a postcard', () => {
  it.each(['jpeg', 'png', 'webp'] as const)('A7 is upright and has no metadata: %s', async (format) => {
    const file = await drawn().withMetadata({ orientation: 6 }).toFormat(format).toBuffer()
    const read = await readImage(file)
    if ('refusal' in read) throw new Error(read.refusal)
    expect(read.image).toMatchObject({ width: 20, height: 40 })
    const { format: stored, exif, orientation } = await sharp(read.image.bytes).metadata()
    expect([stored, exif, orientation]).toEqual(['webp', undefined, undefined])
  })

  it('A7 is no larger than pages show it', async () => {
    expect(await readImage(await drawn(4000, 1000).jpeg().toBuffer())).toMatchObject({
      image: { width: 2048, height: 512 },
    })
  })

  it('A3 of a file that is cut off, of no known kind, moving or too large is refused with a sentence', async () => {
    const png = await drawn().png().toBuffer()
    const frames = await sharp([await drawn().png().toBuffer(), await drawn().negate().png().toBuffer()], {
      join: { animated: true },
    })
      .webp()
      .toBuffer()
    expect(await refusalOf(png.subarray(0, 60))).toContain('not complete')
    expect(await refusalOf(Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'))).toContain('JPEG, PNG or WebP')
    expect(await refusalOf(frames)).toContain('do not move')
    // The header alone says the size.
    const large = Buffer.from(png)
    large.writeUInt32BE(60_000, 16)
    large.writeUInt32BE(60_000, 20)
    expect(await refusalOf(large)).toMatch(/60000 × 60000 dots|not complete/)
  })

  it('A7 waits for a few others, and no longer', async () => {
    const file = await drawn(100, 100).png().toBuffer()
    const refusals = await Promise.all(Array.from({ length: 25 }, () => refusalOf(file)))
    expect(refusals.filter((refusal) => refusal?.startsWith('Many pictures'))).toHaveLength(5)
    expect(await refusalOf(file)).toBeUndefined()
  })
})
