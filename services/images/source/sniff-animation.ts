// Counts frames of GIF, PNG and WebP by walking their blocks. Every step moves forward, so the walk ends for any bytes.

import type { Size } from './sniff-size.ts'

interface AnimationFacts extends Size {
  frames: number
}

/** GIF 89a sections 18 to 26: blocks after the screen descriptor and its colour table. */
export function gifFacts(bytes: Buffer): AnimationFacts {
  if (bytes.length < 13) return { frames: 1 }
  const size = { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) }
  let at = 13 + colourTableBytes(bytes[10]!)
  let frames = 0
  while (at < bytes.length) {
    const block = bytes[at]
    if (block === 0x2c && at + 10 < bytes.length) {
      frames++
      at = skipSubBlocks(bytes, at + 11 + colourTableBytes(bytes[at + 9]!))
    } else if (block === 0x21) at = skipSubBlocks(bytes, at + 2)
    else break
  }
  return { ...size, frames: Math.max(1, frames) }
}

function colourTableBytes(packed: number): number {
  return packed & 0x80 ? 3 * 2 ** ((packed & 7) + 1) : 0
}

function skipSubBlocks(bytes: Buffer, start: number): number {
  let at = start
  while (at < bytes.length && bytes[at] !== 0) at += bytes[at]! + 1
  return at + 1
}

/** PNG third edition section 11.3.6: acTL precedes the first IDAT and contains the number of frames. */
export function pngFacts(bytes: Buffer): AnimationFacts {
  if (bytes.length < 24) return { frames: 1 }
  const size = { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }
  for (let at = 8; at + 12 <= bytes.length; ) {
    const length = bytes.readUInt32BE(at)
    const name = bytes.toString('latin1', at + 4, at + 8)
    if (name === 'IDAT') break
    if (name === 'acTL') return { ...size, frames: Math.max(1, bytes.readUInt32BE(at + 8)) }
    at += 12 + length
  }
  return { ...size, frames: 1 }
}

/** RFC 9649 section 2: an extended file contains its canvas size and an animation flag; frames are ANMF chunks. */
export function webpFacts(bytes: Buffer): AnimationFacts {
  const first = bytes.toString('latin1', 12, 16)
  if (first === 'VP8X' && bytes.length >= 30) {
    const size = { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 }
    return { ...size, frames: bytes[20]! & 0x02 ? Math.max(2, countFrames(bytes)) : 1 }
  }
  if (first === 'VP8 ' && bytes.length >= 30)
    return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff, frames: 1 }
  if (first === 'VP8L' && bytes.length >= 25) {
    const packed = bytes.readUInt32LE(21)
    return { width: (packed & 0x3fff) + 1, height: ((packed >>> 14) & 0x3fff) + 1, frames: 1 }
  }
  return { frames: 1 }
}

function countFrames(bytes: Buffer): number {
  let frames = 0
  for (let at = 12; at + 8 <= bytes.length; ) {
    const length = bytes.readUInt32LE(at + 4)
    if (bytes.toString('latin1', at, at + 4) === 'ANMF') frames++
    at += 8 + length + (length & 1)
  }
  return frames
}
