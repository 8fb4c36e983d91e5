// The public origin of the site, for absolute addresses: shared images, canonical links, the sitemap.

import { publicEnv } from 'portico'

/** The first of PUBLIC_ORIGINS, as in `https://example.org`; empty when the operator named none. */
export function siteOrigin(): string {
  return String(publicEnv('PUBLIC_ORIGINS')).split(',', 1)[0]?.trim().replace(/\/$/, '') ?? ''
}

/** The same, or else the origin of the request, as the gateway reports it. For responses that are made for one client. */
export function originOf(headers: Record<string, string | string[] | undefined>): string {
  const known = siteOrigin()
  if (known) return known
  const host = headers['x-forwarded-host'] ?? headers.host
  const protocol = headers['x-forwarded-proto'] ?? 'http'
  return typeof host === 'string' ? `${String(protocol)}://${host}` : ''
}
