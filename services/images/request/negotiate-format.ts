// Reduces an Accept header to the one format of the response, before the cache key is made (I2).

import type { ImageSettings } from '@portico/shared/wire/build-output.ts'

/**
 * The offered format to which the client gives the highest q-value; between equal q-values the order of `formats`
 * decides. Wildcards never mean AVIF or WebP (curl and old browsers send `image/*`), but a wildcard gives the source's
 * own format its q-value: `image/webp;q=0.5, image/*` gets the own format. A general negotiator lets wildcards match
 * and decides by the client's order, so a general negotiator cannot be used (RFC 9110 section 12.5.1).
 */
export function negotiateFormat(
  accept: string | undefined,
  formats: ImageSettings['formats'],
): 'avif' | 'webp' | 'own' {
  if (accept === undefined || accept === '') return 'own'
  const weights = parseAccept(accept)
  const own = Math.max(
    ...['image/jpeg', 'image/png'].map(
      (type) => weights.get(type) ?? weights.get('image/*') ?? weights.get('*/*') ?? 0,
    ),
  )
  let best: 'avif' | 'webp' | 'own' = 'own'
  let bestWeight = 0
  for (const format of formats) {
    const weight = weights.get(format) ?? 0
    if (weight > bestWeight && weight >= own) {
      best = format === 'image/avif' ? 'avif' : 'webp'
      bestWeight = weight
    }
  }
  return best
}

function parseAccept(accept: string): Map<string, number> {
  const weights = new Map<string, number>()
  // SECURITY: a header of thousands of ranges costs a bounded time.
  for (const range of accept.slice(0, 1000).split(',')) {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase())
    const quality = parameters.find((parameter) => /^q\s*=/.test(parameter))
    const weight = quality === undefined ? 1 : Number(quality.replace(/^q\s*=\s*/, ''))
    // A range whose q-value is not a number is ignored.
    if (type !== '' && weight >= 0 && weight <= 1) weights.set(type, weight)
  }
  return weights
}
