// The image settings of a site whose configuration has none; units and limits are those of ImageSettings.

import type { ImageSettings } from './build-output.ts'
import { DEVICE_SIZES, IMAGE_FORMATS, IMAGE_QUALITIES, IMAGE_SIZES, MINIMUM_IMAGE_CACHE_SECONDS } from './constants.ts'

export const DEFAULT_IMAGES: ImageSettings = {
  deviceSizes: [...DEVICE_SIZES],
  imageSizes: [...IMAGE_SIZES],
  qualities: [...IMAGE_QUALITIES],
  formats: [...IMAGE_FORMATS],
  minimumCacheTTL: MINIMUM_IMAGE_CACHE_SECONDS,
  remotePatterns: [],
  maximumRedirects: 3,
  maximumResponseBody: 50 * 1024 * 1024,
  dangerouslyAllowLocalIP: false,
  dangerouslyAllowSVG: false,
  contentDispositionType: 'attachment',
  contentSecurityPolicy: "script-src 'none'; frame-src 'none'; sandbox;",
  maximumPixels: 50_000_000,
  effort: { avif: 0, webp: 2 },
}
