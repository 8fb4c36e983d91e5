// One source to one encoded answer. Runs in an encoder child only.

import sharp from 'sharp'
import type { EncodeAnswer, EncodeWork } from '../encoding/encoder-messages.ts'
import { encodeFormat, ownFormat } from './encode-format.ts'
import { makePlaceholder } from './make-placeholder.ts'
import { readSource, refusalOf } from './read-source.ts'
import { STEPS } from './steps.ts'

/**
 * Decodes, shrinks and encodes. Pixels pass through memory between decoding and encoding, so that both are measured;
 * that copy is a hundredth of the encoding time.
 */
export async function runPipeline(work: EncodeWork): Promise<EncodeAnswer> {
  const started = performance.now()
  const source = await readSource(work)
  if (source.kind !== 'opened') return source
  try {
    if (work.target === 'facts') {
      const body = await makePlaceholder(source)
      const { width, height } = source
      const decodeMs = performance.now() - started
      return { kind: 'encoded', body, type: 'image/webp', width, height, decodeMs, encodeMs: 0 }
    }
    const chain = STEPS.reduce((image, step) => step(image, work), source.open())
    const { data, info } = await chain.raw().toBuffer({ resolveWithObject: true })
    const decoded = performance.now()
    const format = work.target === 'own' ? ownFormat(source.format, source.hasAlpha) : work.target
    const { width, height, channels } = info
    const body = await encodeFormat(sharp(data, { raw: { width, height, channels } }), format, work).toBuffer()
    return {
      kind: 'encoded',
      body,
      type: `image/${format}`,
      width,
      height,
      decodeMs: decoded - started,
      encodeMs: performance.now() - decoded,
    }
  } catch (error) {
    return refusalOf(error)
  }
}
