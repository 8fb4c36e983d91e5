// Turns one source into one encoded image. Runs in an encoder child only.

import type { Sharp } from 'sharp'
import { encodeFormat, ownFormat } from './encode-format.ts'
import type { EncodeResult, EncodeWork, OutputFormat } from './encoder-messages.ts'
import { type OpenedSource, readSource, refusalOf } from './read-source.ts'
import { STEPS } from './steps.ts'

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
