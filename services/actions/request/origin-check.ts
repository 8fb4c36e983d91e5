// Refuses posts that another site made a visitor's browser send (A4). Decides from headers alone, before any body.

export interface OriginFacts {
  secFetchSite: string | undefined
  origin: string | undefined
  /** The Host under which the visitor knows the site. */
  host: string | undefined
  hasCookies: boolean
  /** Whether the visitor is known to use https. */
  isSecure: boolean
}

export type OriginVerdict = { kind: 'pass' } | { kind: 'refuse'; reason: string }

const PASS: OriginVerdict = { kind: 'pass' }

/**
 * Decides by `Sec-Fetch-Site`, else by `Origin` against the public origins (with none configured its host must equal
 * Host), else by whether there are cookies that a foreign site could ride on.
 *
 * SECURITY: `same-site` is refused too: a sister host (user content, an old campaign page) is another site here.
 */
export function checkOrigin(facts: OriginFacts, publicOrigins: readonly string[]): OriginVerdict {
  const { secFetchSite, origin, host, hasCookies, isSecure } = facts
  if (origin !== undefined && !isOriginHeader(origin)) return refuse('the Origin is malformed')
  if (secFetchSite !== undefined)
    return secFetchSite === 'same-origin' ? PASS : refuse('the request comes from another site')
  if (origin !== undefined) {
    const known = publicOrigins.length > 0 ? publicOrigins.includes(origin) : isOwnHost(origin, host, isSecure)
    return known ? PASS : refuse('the Origin is not one of this site')
  }
  return hasCookies ? refuse('the request has cookies but says nothing of its origin') : PASS
}

function refuse(reason: string): OriginVerdict {
  return { kind: 'refuse', reason }
}

/** One serialised origin or `null` (RFC 6454 section 7); a list, a path or rubbish comes from no browser. */
function isOriginHeader(text: string): boolean {
  return text === 'null' || (URL.canParse(text) && /^[a-z][a-z0-9+.-]*:\/\/[^\s,/?#@]+$/i.test(text))
}

/** `Origin: null` (sandboxed frames, no-referrer forms) has no host and equals none. */
function isOwnHost(origin: string, host: string | undefined, isSecure: boolean): boolean {
  if (!host || !URL.canParse(origin)) return false
  const { protocol, host: originHost } = new URL(origin)
  // SECURITY: whoever can change the http pages of a host must not post to its https ones. The other way round nothing
  // is known: a proxy in front may have ended TLS without saying so.
  if (isSecure && protocol !== 'https:') return false
  // Through URL on both sides, so that a default port that only one of them names makes no difference.
  const own = `${protocol}//${host}`
  return originHost !== '' && URL.canParse(own) && new URL(own).host === originHost
}
