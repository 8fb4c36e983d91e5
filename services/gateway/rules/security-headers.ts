// Headers that every response of the gateway has unless an upstream or the site's configuration sets its own (G6).
// The renderer alone decides the Content-Security-Policy of its pages.

/** The defaults, names in lower case. HSTS only where the site is known to be on https. */
export function securityHeaders(publicOrigins: readonly string[]): Readonly<Record<string, string>> {
  const isHttps = publicOrigins.length > 0 && publicOrigins.every((origin) => origin.startsWith('https:'))
  return {
    'x-content-type-options': 'nosniff',
    // Not no-referrer: with it browsers post forms with `Origin: null`, which the cross-site check refuses (A4).
    'referrer-policy': 'strict-origin-when-cross-origin',
    'permissions-policy': 'browsing-topics=()',
    // One year, as the preload lists require; no includeSubDomains, because the site does not decide for other names.
    ...(isHttps ? { 'strict-transport-security': 'max-age=31536000' } : {}),
  }
}
