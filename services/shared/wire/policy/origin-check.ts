// Refuses requests that another site made a browser send (A4). Decides by headers alone, before reading the body.

interface OriginFacts {
  secFetchSite: string | undefined
  origin: string | undefined
  /** The public Host of the site. */
  host: string | undefined
  hasCookies: boolean
  /** Whether the client is known to use https. */
  isSecure: boolean
}

type OriginVerdict = { kind: 'pass' } | { kind: 'refuse'; reason: string }

const PASS: OriginVerdict = { kind: 'pass' }

/**
 * Decides by `Sec-Fetch-Site`, else by `Origin`, which must be one of the public origins (without configured origins
 * its host must equal Host), else by whether the request has cookies that a foreign site could misuse.
 *
 * SECURITY: `same-site` is refused too: another host of the same domain (user content, an old campaign page) counts as
 * another site.
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
  return hasCookies ? refuse('the request has cookies but neither Sec-Fetch-Site nor Origin') : PASS
}

/** The headers of a request as Node has them, names in lower case. */
type RequestHeaders = Readonly<Record<string, string | readonly string[] | undefined>>

/** A4 for a request behind the gateway, which alone sets `X-Forwarded-Proto` and `X-Forwarded-Host`. */
export function verdictOf(headers: RequestHeaders, publicOrigins: readonly string[]): OriginVerdict {
  // Node joins repeated headers with a comma, so a repeated header matches no expected value.
  const read = (name: string) => headers[name]?.toString()
  return checkOrigin(
    {
      secFetchSite: read('sec-fetch-site'),
      origin: read('origin'),
      host: read('x-forwarded-host') ?? read('host'),
      hasCookies: headers.cookie !== undefined,
      isSecure: read('x-forwarded-proto') === 'https',
    },
    publicOrigins,
  )
}

function refuse(reason: string): OriginVerdict {
  return { kind: 'refuse', reason }
}

/** One serialised origin or `null` (RFC 6454 section 7); no browser sends a list, a path or other text. */
function isOriginHeader(text: string): boolean {
  return text === 'null' || (URL.canParse(text) && /^[a-z][a-z0-9+.-]*:\/\/[^\s,/?#@]+$/i.test(text))
}

/** `Origin: null` (sandboxed frames, no-referrer forms) has no host and never matches. */
function isOwnHost(origin: string, host: string | undefined, isSecure: boolean): boolean {
  if (!host || !URL.canParse(origin)) return false
  const { protocol, host: originHost } = new URL(origin)
  // SECURITY: an attacker who can change the http pages of a host must not post to its https pages. An https Origin is
  // allowed without known https, because a proxy in front may terminate TLS without X-Forwarded-Proto.
  if (isSecure && protocol !== 'https:') return false
  // URL removes default ports on both sides.
  const own = `${protocol}//${host}`
  return originHost !== '' && URL.canParse(own) && new URL(own).host === originHost
}
