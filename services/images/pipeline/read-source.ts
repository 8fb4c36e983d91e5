// Opens a source inside the encoder child: limits first, then the facts that later steps need.

import sharp, { type Sharp } from 'sharp'
import type { EncodeRefusal, EncodeWork } from '../encoding/encoder-messages.ts'

export interface OpenedSource {
  kind: 'opened'
  /** A fresh chain over the source. */
  open(): Sharp
  format: string | undefined
  hasAlpha: boolean
  /** As shown: orientation applied. */
  width: number
  height: number
}

/**
 * Reads the header. SECURITY: a picture of more pixels than allowed is refused by its header, before any memory is
 * taken for it (decompression bomb); only the first frame is ever decoded.
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

/** What libvips' words mean for the visitor. */
export function refusalOf(error: unknown): EncodeRefusal {
  const reason = error instanceof Error ? error.message.slice(0, 300) : 'unknown'
  return /pixel limit/i.test(reason) ? { kind: 'too-many-pixels', reason } : { kind: 'undecodable', reason }
}
