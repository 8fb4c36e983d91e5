// Opens a source inside the encoder child: checks limits first, then reads the facts for later steps.

import sharp, { type Sharp } from 'sharp'
import type { EncodeRefusal, EncodeWork } from './encoder-messages.ts'

export interface OpenedSource {
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
export async function readSource({ source, maximumPixels }: EncodeWork): Promise<OpenedSource | EncodeRefusal> {
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
export function refusalOf(error: unknown): EncodeRefusal {
  const reason = error instanceof Error ? error.message.slice(0, 300) : 'unknown'
  return /pixel limit/i.test(reason) ? { kind: 'too-many-pixels', reason } : { kind: 'undecodable', reason }
}
