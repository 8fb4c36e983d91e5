// Images of the types that no decoder of the service opens, byte by byte.

import type { UndecodedType } from '../sniff/sniff.ts'
import { halves } from './source-images.ts'

/** An icon file with one PNG of 20 × 10 pixels. */
export async function ico(content?: Buffer): Promise<Buffer> {
  const image = content ?? (await halves(20, 10, 'png'))
  const head = Buffer.alloc(22)
  head.writeUInt16LE(1, 2)
  head.writeUInt16LE(1, 4)
  head.set([20, 10, 0, 0, 1, 0, 32, 0], 6)
  head.writeUInt32LE(image.length, 14)
  head.writeUInt32LE(head.length, 18)
  return Buffer.concat([head, image])
}

/** A bitmap of 2 × 3 white pixels with rows from top to bottom. */
export function bmp(height = -3): Buffer {
  const bytes = Buffer.alloc(54 + 24, 0xff)
  bytes.fill(0, 2, 54)
  bytes.write('BM', 'latin1')
  for (const [at, value] of [
    [2, bytes.length],
    [10, 54],
    [14, 40],
    [18, 2],
    [34, 24],
  ] as const)
    bytes.writeUInt32LE(value, at)
  bytes.writeInt32LE(height, 22)
  bytes.writeUInt16LE(1, 26)
  bytes.writeUInt16LE(24, 28)
  return bytes
}

async function icns(): Promise<Buffer> {
  const image = await halves(16, 16, 'png')
  const head = Buffer.from('icns\0\0\0\0icp4\0\0\0\0', 'latin1')
  head.writeUInt32BE(head.length + image.length, 4)
  head.writeUInt32BE(8 + image.length, 12)
  return Buffer.concat([head, image])
}

/** A file type box and an `ispe` property of 40 × 30 pixels. */
function heic(): Buffer {
  return Buffer.from('\0\0\0\x18ftypmif1\0\0\0\0mif1heic\0\0\0\x14ispe\0\0\0\0\0\0\0\x28\0\0\0\x1e', 'latin1')
}

/** One file of each kind; JPEG XL as a codestream and in its container. */
export async function undecodedImages(): Promise<[name: string, type: UndecodedType, bytes: Buffer][]> {
  const codestream = Buffer.from('ff0a181000e3bf17', 'hex')
  const signature = Buffer.from('0000000c4a584c200d0a870a', 'hex')
  return [
    ['a.ico', 'image/x-icon', await ico()],
    ['a.bmp', 'image/bmp', bmp()],
    ['a.icns', 'image/x-icns', await icns()],
    ['a.heic', 'image/heic', heic()],
    ['a.jxl', 'image/jxl', codestream],
    ['b.jxl', 'image/jxl', Buffer.concat([signature, codestream])],
  ]
}
