// Rules of image requests that two parties must apply equally (I1).

import type { LocalPattern } from './build-output.ts'
import { isApiPath, prefixOf, stripBasePath } from './routing/urls.ts'

/** The quality of the config that is nearest to `wanted`: the Image component requests it, the images service uses it. */
export function nearestQuality(wanted: number, allowed: readonly number[]): number {
  return allowed.reduce((best, each) => (Math.abs(each - wanted) < Math.abs(best - wanted) ? each : best), allowed[0]!)
}

/**
 * Whether a path below basePath may be requested from an API handler as a source; the images service and the gateway's
 * listener for the images service ask. SECURITY: only a pattern that begins
 * with `/api/` allows a handler: with `/**`, or without patterns, an attacker's `url` parameter would make this site
 * call its own handlers.
 */
export function createApiSources(localPatterns: readonly LocalPattern[] | undefined, basePath: string) {
  const allowed = (localPatterns ?? []).flatMap(({ pathname = '' }) => {
    const literal = pathname.split(/[*?[\](){}!+@|\\]/, 1)[0]!
    const below = stripBasePath(literal, basePath)
    return below?.startsWith('/api/') ? [below] : []
  })
  return (path: string): boolean => isApiPath(path) && allowed.some((beginning) => path.startsWith(beginning))
}

/** Sizes that requests for images may have. */
export interface ImageSizes {
  widths: number[]
  qualities: number[]
}

/** Sizes of a build and the time until which clients may have its pages, in milliseconds since the epoch. */
export interface ListedImageSizes extends ImageSizes {
  until: number
}

/** Where the gateway's listener for the images service has the sizes that builds of the last days allow, as JSON. */
export function imageSizesPath(basePath: string): string {
  return `${prefixOf(basePath)}/image-sizes`
}

/** Throws for a text that no gateway writes. */
export function parseImageSizes(text: string): ListedImageSizes[] {
  const lists: unknown = JSON.parse(text)
  if (!Array.isArray(lists) || !lists.every(isListed)) throw new Error('not a list of image sizes')
  return lists
}

function isListed(value: unknown): value is ListedImageSizes {
  if (typeof value !== 'object' || value === null) return false
  const { widths, qualities, until } = value as Partial<Record<keyof ListedImageSizes, unknown>>
  const areNumbers = (list: unknown) => Array.isArray(list) && list.every((each) => typeof each === 'number')
  return areNumbers(widths) && areNumbers(qualities) && typeof until === 'number'
}
