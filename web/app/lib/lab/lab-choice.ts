// The choice of the lab, as in the address: /lab?picture=skarnvik&w=828&q=75&format=webp.

import type { Href } from 'portico'
import { IMAGE_QUALITIES, IMAGE_WIDTHS } from './image-choices.ts'

/** `accept` is the header by which the images service chooses the format; the address of a variant has none. */
export const LAB_FORMATS = [
  { value: 'auto', label: 'As browsers ask', accept: 'image/avif,image/webp,image/*;q=0.8' },
  { value: 'avif', label: 'AVIF', accept: 'image/avif' },
  { value: 'webp', label: 'WebP', accept: 'image/webp' },
  { value: 'own', label: 'JPEG', accept: 'image/jpeg' },
] as const

type LabFormat = (typeof LAB_FORMATS)[number]['value']

export interface LabChoice {
  /** Slug of a plate … */
  picture: string
  /** … unless an address was pasted: a path of this site, or a URL that the site's config allows. */
  url: string
  width: number
  quality: number
  format: LabFormat
}

const DEFAULT_WIDTH = 1080
const DEFAULT_QUALITY = 75
/** Longer addresses are rejected. */
export const URL_LIMIT = 1000

/** Reads a query; missing and invalid values take the default. `first` is the default plate. */
export function parseLabChoice(query: URLSearchParams, slugs: readonly string[], first: string): LabChoice {
  const picture = query.get('picture') ?? ''
  return {
    picture: slugs.includes(picture) ? picture : first,
    url: (query.get('url') ?? '').trim().slice(0, URL_LIMIT),
    width: memberOf(IMAGE_WIDTHS, query.get('w'), DEFAULT_WIDTH),
    quality: memberOf(IMAGE_QUALITIES, query.get('q'), DEFAULT_QUALITY),
    format: LAB_FORMATS.find(({ value }) => value === query.get('format'))?.value ?? 'auto',
  }
}

/** The address of the lab with a choice. */
export function labHref({ picture, url, width, quality, format }: LabChoice): Href {
  const query = new URLSearchParams({ picture, ...(url && { url }), w: String(width), q: String(quality), format })
  return `/lab?${query}`
}

/** A pasted address of this site becomes its path, the source that the images service accepts. */
export function localSource(url: string, origin: string): string {
  return origin !== '' && url.startsWith(`${origin}/`) ? url.slice(origin.length) : url
}

/** SECURITY: only what browsers, too, read as a path of this site: `//host`, `/\\host` and a tab between lead elsewhere. */
export function isSitePath(source: string): boolean {
  const site = 'http://site.invalid'
  return source.startsWith('/') && URL.canParse(source, site) && new URL(source, site).origin === site
}

function memberOf(members: readonly number[], text: string | null, fallback: number): number {
  const number = Number(text)
  return members.includes(number) ? number : fallback
}
