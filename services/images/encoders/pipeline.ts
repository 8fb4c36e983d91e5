// Turns one source into one encoded image, in an encoder child only: checks limits, then appends the ordered steps from
// source pixels to the encoder to one sharp chain. libvips runs the whole chain in one pass, so JPEG and WebP sources
// are shrunk while they are decoded.

import sharp, { type Sharp } from 'sharp'
import type { EncodeRefusal, EncodeResult, EncodeWork, OutputFormat } from './encoder-frames.ts'

/** Longest side in pixels: enough to tell colours apart, small enough for a data URL in HTML. */
const BLUR_SIDE = 8
/** Coding errors are invisible in a blur. */
const BLUR_QUALITY = 60

/**
 * libvips decodes, shrinks and encodes in one pass; storing pixels in between costs 5 % more time. So `decodeMs` is the
 * time to open the source and read its header, and the pass counts as encoding.
 */
export async function runPipeline(work: EncodeWork): Promise<EncodeResult> {
  const started = performance.now()
  const source = await readSource(work)
  if (source.kind !== 'opened') return source
  const opened = performance.now()
  try {
    const { image, format } = work.target === 'facts' ? blur(source) : resized(source, work, work.target)
    const { data, info } = await image.toBuffer({ resolveWithObject: true })
    // A placeholder request is for the size of the source (I8).
    const { width, height } = work.target === 'facts' ? source : info
    const times = { decodeMs: opened - started, encodeMs: performance.now() - opened }
    return { kind: 'encoded', body: data, type: `image/${format}`, width, height, ...times }
  } catch (error) {
    return refusalOf(error)
  }
}

interface Chain {
  image: Sharp
  format: OutputFormat
}

function resized(source: OpenedSource, work: EncodeWork, target: OutputFormat | 'own'): Chain {
  const format = target === 'own' ? ownFormat(source) : target
  const image = STEPS.reduce((chain, step) => step(chain, work), source.open())
  return { image: encodeFormat(image, format, work), format }
}

/** About 100 bytes of WebP that a browser scales up (I8). */
function blur(source: OpenedSource): Chain {
  const size = { width: BLUR_SIDE, height: BLUR_SIDE, fit: 'inside', withoutEnlargement: true } as const
  const image = source.open().autoOrient().resize(size).toColourspace('srgb')
  return { image: image.webp({ quality: BLUR_QUALITY, effort: 0 }), format: 'webp' }
}

interface OpenedSource {
  kind: 'opened'
  /** Creates a new sharp chain for the source. */
  open(): Sharp
  format: string | undefined
  hasAlpha: boolean
  /** With the orientation applied. */
  width: number
  height: number
}

/**
 * Reads the header. SECURITY: an image with too many pixels is refused by its header, before memory is allocated for
 * the pixels (decompression bomb); only the first frame is ever decoded.
 */
async function readSource({ source, maximumPixels }: EncodeWork): Promise<OpenedSource | EncodeRefusal> {
  const open = () => sharp(source, { failOn: 'error', limitInputPixels: maximumPixels, pages: 1 })
  try {
    const { format, hasAlpha, width, height, autoOrient } = await open().metadata()
    if (width * height > maximumPixels) return { kind: 'too-many-pixels', reason: `${width}x${height}` }
    return { kind: 'opened', open, format, hasAlpha, width: autoOrient.width, height: autoOrient.height }
  } catch (error) {
    return refusalOf(error)
  }
}

/** Maps an error text of libvips to a refusal. */
function refusalOf(error: unknown): EncodeRefusal {
  const reason = error instanceof Error ? error.message.slice(0, 300) : 'unknown'
  return /pixel limit/i.test(reason) ? { kind: 'too-many-pixels', reason } : { kind: 'undecodable', reason }
}

/** Longest side that WebP can hold (RFC 9649 section 2.6); AVIF and JPEG hold more. */
const LONGEST_SIDE = 16_383

/** Applies the EXIF orientation; the tag is dropped with all other metadata. */
function orient(image: Sharp): Sharp {
  return image.autoOrient()
}

/** Never wider than requested and never wider than the source (I2). */
function shrink(image: Sharp, { width }: EncodeWork): Sharp {
  return image.resize({ width, height: LONGEST_SIDE, fit: 'inside', withoutEnlargement: true })
}

/**
 * Converts wide-gamut, CMYK and grey sources to sRGB by their embedded profile, because responses have no profile (I2).
 */
function toScreenColours(image: Sharp): Sharp {
  return image.toColourspace('srgb')
}

const STEPS: readonly ((image: Sharp, context: EncodeWork) => Sharp)[] = [orient, shrink, toScreenColours]

/** AVIF at a quality lower by this number looks like WebP and JPEG. */
const AVIF_QUALITY_OFFSET = 20

/** Appends the encoder. AVIF and WebP use low effort: the last percents of size cost most of the time. */
function encodeFormat(image: Sharp, format: OutputFormat, { quality, effort }: EncodeWork): Sharp {
  switch (format) {
    case 'avif':
      return image.avif({
        quality: Math.max(1, quality - AVIF_QUALITY_OFFSET),
        effort: effort.avif,
        chromaSubsampling: '4:2:0',
      })
    case 'webp':
      return image.webp({ quality, effort: effort.webp })
    case 'jpeg':
      return image.jpeg({ quality })
    case 'png':
      // Lossless at every quality: a PNG source means exact pixels.
      return image.png({ compressionLevel: 6 })
    default:
      return format satisfies never
  }
}

/** The source's own format if JPEG or PNG, else PNG with alpha, else JPEG (I2). */
function ownFormat({ format, hasAlpha }: OpenedSource): OutputFormat {
  return format === 'png' || hasAlpha ? 'png' : 'jpeg'
}
