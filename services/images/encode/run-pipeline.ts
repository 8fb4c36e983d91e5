// Turns one source into one encoded image. Runs in an encoder child only.

import { encodeFormat, ownFormat } from './encode-format.ts'
import type { EncodeResult, EncodeWork } from './encoder-messages.ts'
import { makePlaceholder } from './make-placeholder.ts'
import { readSource, refusalOf } from './read-source.ts'
import { STEPS } from './steps.ts'

/**
 * libvips decodes, shrinks and encodes in one pass; storing pixels in between costs 5 % more time. So `decodeMs` is the
 * time to open the source and read its header, and the pass counts as encoding.
 */
export async function runPipeline(work: EncodeWork): Promise<EncodeResult> {
  const started = performance.now()
  const source = await readSource(work)
  if (source.kind !== 'opened') return source
  const opened = performance.now()
  const decodeMs = opened - started
  try {
    if (work.target === 'facts') {
      const body = await makePlaceholder(source)
      const { width, height } = source
      return {
        kind: 'encoded',
        body,
        type: 'image/webp',
        width,
        height,
        decodeMs,
        encodeMs: performance.now() - opened,
      }
    }
    const format = work.target === 'own' ? ownFormat(source.format, source.hasAlpha) : work.target
    const chain = STEPS.reduce((image, step) => step(image, work), source.open())
    const { data, info } = await encodeFormat(chain, format, work).toBuffer({ resolveWithObject: true })
    const { width, height } = info
    return {
      kind: 'encoded',
      body: data,
      type: `image/${format}`,
      width,
      height,
      decodeMs,
      encodeMs: performance.now() - opened,
    }
  } catch (error) {
    return refusalOf(error)
  }
}
