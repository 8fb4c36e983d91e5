// Reads a JPEG by its segments (ITU T.81 annex B): finds its size, and leaves out what is no part of the image, such
// as the place where it was taken. Decodes nothing.

import { ImageRefused, NOT_WHOLE, PARTS_LIMIT, type ReadBytes } from './read-bytes.ts'

const SOI = 0xd8
const EOI = 0xd9
const SOS = 0xda
const APP0 = 0xe0
const APP1 = 0xe1
const APP2 = 0xe2
const APP14 = 0xee
const COM = 0xfe

/** Throws ImageRefused for what is cut short or has no frame. */
export function readJpeg(bytes: Buffer): ReadBytes {
  const kept: Buffer[] = [bytes.subarray(0, 2)]
  let size: { width: number; height: number } | undefined
  let turned = 1
  let at = 2
  for (let parts = 0; ; parts++) {
    if (parts === PARTS_LIMIT) throw new ImageRefused(NOT_WHOLE)
    const { marker, start } = nextMarker(bytes, at)
    if (marker === EOI) break
    const end = start + lengthAt(bytes, start)
    const segment = bytes.subarray(start + 2, end)
    if (isFrame(marker)) size ??= readFrame(segment)
    if (marker === APP1) turned = readOrientation(segment) ?? turned
    // With the data of its scan, up to the next marker outside of the scan.
    const last = marker === SOS ? endOfScan(bytes, end) : end
    if (isKept(marker, segment)) kept.push(Buffer.from([0xff, marker]), bytes.subarray(start, last))
    at = last
  }
  if (!size) throw new ImageRefused(NOT_WHOLE)
  if (turned > 1) kept.splice(1, 0, orientationSegment(turned))
  kept.push(Buffer.from([0xff, EOI]))
  const { width, height } = size
  return turned >= 5 ? { width: height, height: width, kept } : { width, height, kept }
}

/** `start` is the position of the marker's length. */
function nextMarker(bytes: Buffer, at: number): { marker: number; start: number } {
  if (bytes[at] !== 0xff) throw new ImageRefused(NOT_WHOLE)
  let start = at + 1
  // Any number of fill bytes may precede a marker.
  while (bytes[start] === 0xff) start++
  const marker = bytes[start]
  if (marker === undefined || marker === 0 || marker === SOI) throw new ImageRefused(NOT_WHOLE)
  return { marker, start: start + 1 }
}

function lengthAt(bytes: Buffer, start: number): number {
  if (start + 2 > bytes.length) throw new ImageRefused(NOT_WHOLE)
  const length = bytes.readUInt16BE(start)
  if (length < 2 || start + length > bytes.length) throw new ImageRefused(NOT_WHOLE)
  return length
}

function endOfScan(bytes: Buffer, from: number): number {
  for (let at = bytes.indexOf(0xff, from); at >= 0; at = bytes.indexOf(0xff, at + 1)) {
    const next = bytes[at + 1]
    if (next === undefined) break
    // A stuffed byte, a fill byte or a restart marker belongs to the scan.
    if (next === 0 || next === 0xff || (next >= 0xd0 && next <= 0xd7)) continue
    return at
  }
  throw new ImageRefused(NOT_WHOLE)
}

function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc
}

function readFrame(segment: Buffer): { width: number; height: number } {
  if (segment.length < 6) throw new ImageRefused(NOT_WHOLE)
  const [height, width] = [segment.readUInt16BE(1), segment.readUInt16BE(3)]
  if (segment[0] !== 8 || width === 0 || height === 0) throw new ImageRefused(NOT_WHOLE)
  return { width, height }
}

/** Tables, frames, scans, and the segments that colours depend on: JFIF, Adobe's transform, a colour profile. */
function isKept(marker: number, segment: Buffer): boolean {
  if (marker === APP0) return segment.toString('latin1', 0, 5) === 'JFIF\0'
  if (marker === APP2) return segment.toString('latin1', 0, 12) === 'ICC_PROFILE\0'
  if (marker === APP14) return segment.toString('latin1', 0, 5) === 'Adobe'
  return marker !== COM && (marker < APP0 || marker > 0xef)
}

const ORIENTATION = 0x0112

/** The orientation in an Exif segment, 1 to 8; undefined when it says none. */
function readOrientation(segment: Buffer): number | undefined {
  if (segment.toString('latin1', 0, 6) !== 'Exif\0\0' || segment.length < 14) return undefined
  const tiff = segment.subarray(6)
  const isLittle = tiff.toString('latin1', 0, 2) === 'II'
  const short = (at: number) => (at + 2 > tiff.length ? 0 : isLittle ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at))
  const directory = isLittle ? tiff.readUInt32LE(4) : tiff.readUInt32BE(4)
  const entries = short(directory)
  for (let entry = directory + 2; entry < directory + 2 + entries * 12 && entry < tiff.length; entry += 12) {
    const value = short(entry + 8)
    if (short(entry) === ORIENTATION) return value >= 1 && value <= 8 ? value : undefined
  }
  return undefined
}

/** An Exif segment that says which way is up, and nothing else. */
function orientationSegment(value: number): Buffer {
  const segment = Buffer.alloc(36)
  segment.writeUInt16BE(0xff00 | APP1, 0)
  segment.writeUInt16BE(34, 2)
  segment.write('Exif\0\0MM\0*', 4, 'latin1')
  segment.writeUInt32BE(8, 14)
  segment.writeUInt16BE(1, 18)
  segment.writeUInt16BE(ORIENTATION, 20)
  segment.writeUInt16BE(3, 22)
  segment.writeUInt32BE(1, 24)
  segment.writeUInt16BE(value, 28)
  return segment
}
