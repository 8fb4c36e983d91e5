// Image settings for tests: the defaults of an app folder without image settings.

import type { ImageSettings } from '@portico/shared/wire/build-output.ts'
import {
  DEVICE_SIZES,
  IMAGE_FORMATS,
  IMAGE_QUALITIES,
  IMAGE_SIZES,
  MINIMUM_IMAGE_CACHE_SECONDS,
} from '@portico/shared/wire/constants.ts'

/** The defaults with some members replaced. */
export function imageSettings(changes: Partial<ImageSettings> = {}): ImageSettings {
  return {
    deviceSizes: [...DEVICE_SIZES],
    imageSizes: [...IMAGE_SIZES],
    qualities: [...IMAGE_QUALITIES],
    formats: [...IMAGE_FORMATS],
    minimumCacheTTL: MINIMUM_IMAGE_CACHE_SECONDS,
    remotePatterns: [],
    maximumRedirects: 3,
    maximumResponseBody: 10_000_000,
    dangerouslyAllowLocalIP: false,
    dangerouslyAllowSVG: false,
    contentDispositionType: 'attachment',
    contentSecurityPolicy: "script-src 'none'; frame-src 'none'; sandbox;",
    maximumPixels: 50_000_000,
    effort: { avif: 0, webp: 2 },
    ...changes,
  }
}
