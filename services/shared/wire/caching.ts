// Who may keep a response, and for how long: the one writer and the one parser of Cache-Control (RFC 9111 section 5.2).

/** `everyone-let-pass`: the same for all clients whom middleware lets pass, so each has its own copy. */
type Audience = 'everyone' | 'everyone-let-pass' | 'this-client'

export interface Caching {
  audience: Audience
  /** For which a cache need not ask again; nobody keeps what is for `this-client`. */
  freshSeconds: number
  /** For which a shared cache may send it afterwards, while it asks again or when nothing responds. */
  staleSeconds?: number
  /** Another content has another address. */
  isImmutable?: boolean
}

/** @example formatCacheControl({ audience: 'everyone', freshSeconds: 0 }) // 'public, max-age=0, must-revalidate' */
export function formatCacheControl({ audience, freshSeconds, isImmutable = false }: Caching): string {
  if (audience === 'this-client') return 'private, no-store'
  const who = audience === 'everyone' ? 'public' : 'private'
  return `${who}, max-age=${freshSeconds}, ${isImmutable ? 'immutable' : 'must-revalidate'}`
}

/**
 * For a CDN that knows CDN-Cache-Control (RFC 9213), and ignores Cache-Control. Not by s-maxage, which would forbid stale
 * responses (RFC 9111 section 5.2.2.10).
 */
export function formatCdnCacheControl({ audience, freshSeconds, staleSeconds = 0 }: Caching): string {
  if (audience !== 'everyone') return 'no-store'
  return `public, max-age=${freshSeconds}, stale-while-revalidate=${staleSeconds}, stale-if-error=${staleSeconds}`
}

/** For responses that are the same for all clients: a cache compares the ETag each time (D2). */
export const CACHE_SHARED = formatCacheControl({ audience: 'everyone', freshSeconds: 0 })
/** The same for all clients whom middleware lets pass: the cache of each client compares the ETag each time. */
export const CACHE_GUARDED = formatCacheControl({ audience: 'everyone-let-pass', freshSeconds: 0 })
/** For responses to one client: no cache. */
export const CACHE_NONE = formatCacheControl({ audience: 'this-client', freshSeconds: 0 })

/**
 * The directives by name in lower case, values without quotes. The first one of a repeated directive counts (RFC 9111
 * section 4.2.1 lets the recipient choose).
 */
export function parseCacheControl(text: string | readonly string[] | undefined): ReadonlyMap<string, string> {
  const directives = new Map<string, string>()
  for (const part of String(text ?? '').split(',')) {
    const [name = '', value = ''] = part.split('=', 2).map((each) => each.trim())
    const key = name.toLowerCase()
    if (key !== '' && !directives.has(key)) directives.set(key, value.replace(/^"|"$/g, ''))
  }
  return directives
}

/** Whether the text keeps a response for its client: shared caches may not store it. */
export function isForOneClient(text: string | readonly string[] | undefined): boolean {
  const directives = parseCacheControl(text)
  return directives.has('private') || directives.has('no-store')
}

/** Directives for shared caches only. */
const FOR_SHARED: ReadonlySet<string> = new Set([
  'public',
  's-maxage',
  'proxy-revalidate',
  'stale-while-revalidate',
  'stale-if-error',
])

/** What the text says, for the client's own cache only. */
export function forOneClient(text: string): string {
  if (isForOneClient(text)) return text
  const kept = text.split(',').map((part) => part.trim())
  const own = kept.filter((part) => part !== '' && !FOR_SHARED.has(part.split('=', 1)[0]!.trim().toLowerCase()))
  return own.length === 0 ? CACHE_NONE : ['private', ...own].join(', ')
}

/** Headers for a shared cache alone, which override Cache-Control there (RFC 9213 section 2.2; nginx; Akamai). */
const OF_SHARED_CACHES = /(^|-)(cdn-cache-control|surrogate-control)$|^(x-accel-expires|edge-control)$/

/** `name` in lower case. */
export function isForSharedCaches(name: string): boolean {
  return OF_SHARED_CACHES.test(name)
}
