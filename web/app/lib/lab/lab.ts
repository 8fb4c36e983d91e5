// The comparison of formats: the choice, as in the address /lab?picture=skarnvik&w=828&q=75, and the image in each format.

import { IMAGE_QUALITIES, IMAGE_WIDTHS } from '../site/image-choices.ts'

/** `accept` is the header by which the images service chooses the format; the address of an image has none. */
export const LAB_FORMATS = [
  { format: 'avif', label: 'AVIF', accept: 'image/avif' },
  { format: 'webp', label: 'WebP', accept: 'image/webp' },
  { format: 'jpeg', label: 'JPEG', accept: 'image/jpeg' },
] as const

export type LabFormat = (typeof LAB_FORMATS)[number]['format']

export interface LabChoice {
  /** Slug of a plate. */
  picture: string
  width: number
  quality: number
}

/** Reads a query; missing and invalid values take the default. */
export function parseLabChoice(query: URLSearchParams, slugs: readonly string[]): LabChoice {
  return {
    picture: slugs.find((slug) => slug === query.get('picture')) ?? slugs[0] ?? '',
    width: IMAGE_WIDTHS.find((width) => String(width) === query.get('w')) ?? 1080,
    quality: IMAGE_QUALITIES.find((quality) => String(quality) === query.get('q')) ?? 75,
  }
}

export interface ReceivedImage {
  bytes: number
  /** From the request to the last byte, in milliseconds. */
  ms: number
  /** `URL.revokeObjectURL` frees it. */
  objectUrl: string
}

/** Resolves when the page is there with its own image: a comparison must not delay what it compares. Browser only. */
export async function pageLoaded(): Promise<void> {
  if (document.readyState === 'complete') return
  await new Promise((done) => addEventListener('load', done, { once: true }))
}

/** Fetches an image in one format. Browser only. Rejects when the network or the service fails, or the signal aborts. */
export async function receiveImage(url: string, accept: string, signal: AbortSignal): Promise<ReceivedImage> {
  const startedAt = performance.now()
  const response = await fetch(url, { headers: { accept }, signal })
  if (!response.ok) throw new Error(`the images service responded with ${response.status}`)
  const blob = await response.blob()
  signal.throwIfAborted()
  return { bytes: blob.size, ms: performance.now() - startedAt, objectUrl: URL.createObjectURL(blob) }
}
