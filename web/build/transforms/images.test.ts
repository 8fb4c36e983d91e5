import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import sharp from 'sharp'
import { createServer } from 'vite'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createFolder, removeFolders } from '../testing/folders.ts'
import { images } from './images.ts'

interface Imported {
  src: string
  width: number
  height: number
  blurDataURL?: string
}

let dir = ''
let server: Awaited<ReturnType<typeof createServer>>
beforeAll(async () => {
  dir = await createFolder()
  server = await createServer({
    configFile: false,
    root: dir,
    logLevel: 'silent',
    server: { middlewareMode: true, hmr: false, ws: false, watch: null },
    plugins: [images(dir, () => new Map())],
  })
})
afterAll(async () => {
  await server.close()
  await removeFolders()
})

async function imported(name: string, bytes: Buffer | string): Promise<Imported> {
  await writeFile(join(dir, name), bytes)
  const module = await server.ssrLoadModule(join(dir, name))
  return module.default as Imported
}
const plain = (width: number, height: number, background: object = { r: 200, g: 100, b: 50 }) =>
  sharp({ create: { width, height, channels: 3, background: background as { r: number; g: number; b: number } } })

describe('static imports of images', () => {
  it('I8 give the real size and a tiny placeholder of the same shape and colour', async () => {
    const { width, height, blurDataURL, src } = await imported('plain.png', await plain(80, 40).png().toBuffer())
    expect([width, height]).toEqual([80, 40])
    expect(src).toMatch(/\/plain-[0-9a-f]{16}\.png$/)
    const placeholder = Buffer.from(blurDataURL!.replace('data:image/png;base64,', ''), 'base64')
    expect(placeholder.length).toBeLessThan(300)
    const { data, info } = await sharp(placeholder).raw().toBuffer({ resolveWithObject: true })
    expect([info.width, info.height]).toEqual([8, 4])
    expect([...data.subarray(0, 3)]).toEqual([200, 100, 50])
  })

  it('I8 turn an image as its EXIF orientation says', async () => {
    const bytes = await plain(60, 20).jpeg().withMetadata({ orientation: 6 }).toBuffer()
    const { width, height, blurDataURL } = await imported('turned.jpg', bytes)
    expect([width, height]).toEqual([20, 60])
    const shape = await sharp(Buffer.from(blurDataURL!.split(',')[1]!, 'base64')).metadata()
    expect([shape.width, shape.height]).toEqual([3, 8])
  })

  it('I8 grey images and images smaller than the placeholder have a placeholder', async () => {
    const grey = await imported('grey.png', await plain(16, 16).greyscale().png().toBuffer())
    expect(grey.blurDataURL).toMatch(/^data:image\/png;base64,/)
    const tiny = await imported('tiny.png', await plain(1, 1).png().toBuffer())
    expect([tiny.width, tiny.height]).toEqual([1, 1])
    expect(tiny.blurDataURL).toMatch(/^data:image\/png;base64,/)
  })

  it('I8 transparent images have no placeholder', async () => {
    const alpha = await imported('alpha.webp', await plain(20, 10).ensureAlpha(0.5).webp().toBuffer())
    expect(alpha).toMatchObject({ width: 20, height: 10 })
    expect(alpha).not.toHaveProperty('blurDataURL')
    const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="30" height="10"><rect width="5" height="5"/></svg>'
    expect(await imported('drawing.svg', svg)).toMatchObject({ width: 30, height: 10 })
  })

  it('I8 a file that cannot be decoded is refused by name', async () => {
    await expect(imported('fake.jpg', 'no image')).rejects.toThrow('fake.jpg: must be an image that can be decoded')
  })
})
