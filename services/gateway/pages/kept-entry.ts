// An entry as the gateway keeps it: what its responses need is prepared once, when the entry arrives (C1).

import type { AsOf } from '@portico/shared/kit/feed/feed.ts'
import { CACHE_NONE, CACHE_SHARED } from '@portico/shared/wire/caching.ts'
import { HEADERS } from '@portico/shared/wire/constants.ts'
import { COMPRESSION, type Encoding } from '@portico/shared/wire/encodings.ts'
import { markedPath } from '@portico/shared/wire/locales/locales.ts'
import { notFoundBody } from '@portico/shared/wire/next/next-data.ts'
import type { Entry, EntryForm, EntryHead, EntryTags } from '@portico/shared/wire/page-entry.ts'
import { pagePath } from '@portico/shared/wire/routing/page-path.ts'
import { fillPattern } from '@portico/shared/wire/routing/routes.ts'
import { buildOfVersion } from '@portico/shared/wire/routing/version.ts'
import { type Page, pageKey } from './page-key.ts'

/** Bytes of one representation with all headers that do not depend on a request: alternating names and values. */
export interface Form {
  readonly body: Buffer
  readonly headers: readonly string[]
}

/** The document or the page data of an entry. */
export interface Part {
  readonly status: number
  /** Undefined where a response has no validator. */
  readonly etag: string | undefined
  readonly plain: Form
  /** A list: the requests that wait for a form that is being made. */
  readonly forms: Partial<Record<Encoding, Form | ((form: Form) => void)[]>>
  /** Headers of a 304 response, without its ETag. */
  readonly unchanged: readonly string[]
  /** Whether the part sets the header: rules and defaults must not repeat it. */
  readonly has: (name: string) => boolean
  readonly caching: { readonly by: 'response'; readonly text: string }
}

export interface KeptEntry {
  /** Version of the renderer and page: the key in memory. */
  readonly key: string
  /** Undefined: the not-found screen, which is a separate entry. Page data of Next.js has no document. */
  readonly html: Part | undefined
  readonly data: Part
  /** What a request for the entry names as known. */
  readonly have: EntryTags | undefined
  /** The hash of what the render returned: the same in both forms of one render (X2). */
  readonly result: string
  /** For the feed. */
  readonly path: string
  tags: readonly string[]
  /** The value of Cache-Tag, made for the first response to a CDN; empty for too many tags. */
  cacheTags?: string | undefined
  asOf: AsOf
  /** Revision of the feed at which the entry was current. */
  revision: number
  /** The renderer that made it, or said that it is unchanged. */
  madeBy: string
  /** Milliseconds of the gateway's monotonic clock. */
  renderedAt: number
  freshMs: number | null
  /** Memory that the entry takes, compressed forms included. */
  bytes: number
}

/** Memory of an entry in addition to its bytes: heads, key, path, tags, slots of maps. */
export const OVERHEAD_BYTES = 4096

/**
 * A renderer that starts again may know more paths (getStaticPaths): a not-found entry is refreshed after this time, behind
 * the next response.
 */
const NOT_FOUND_MS = 10_000

const TYPES = { html: 'text/html; charset=utf-8', data: 'application/json; charset=utf-8' } as const
const NO_BODY = Buffer.alloc(0)
const NOT_FOUND_DATA: Readonly<Record<EntryForm, Buffer>> = {
  entry: Buffer.from(notFoundBody('data')),
  'next-data': Buffer.from(notFoundBody('next-data')),
}

/** What the gateway knew when it sent the request, and when the response arrived. */
export interface Arrival {
  asOf: AsOf
  revision: number
  now: number
  /** The renderer. */
  by: string
}

/** Undefined for outcomes that are no entry. */
export function keepEntry(page: Page, entry: Entry, arrival: Arrival): KeptEntry | undefined {
  const { head, html, data } = entry
  const build = [HEADERS.build, buildOfVersion(head.version)]
  const parts = partsOf(page.as, entry, build)
  if (!parts) return undefined
  const bytes = OVERHEAD_BYTES + page.name.length * 4 + html.length + data.length
  const path = pagePath(markedPath(page.locale, fillPattern(page.pattern, page.params)))
  const kept = { key: pageKey(head.version, page), ...parts, path, ...timesOf(head, arrival) }
  return { ...kept, bytes: bytes + head.tags.reduce((sum, tag) => sum + tag.length * 2, 0) }
}

/** A renderer of the same version has the same bytes at a later time. */
export function renewEntry(entry: KeptEntry, head: EntryHead, arrival: Arrival): void {
  Object.assign(entry, timesOf(head, arrival))
}

function timesOf({ kind, ageMs, freshMs, tags }: EntryHead, { asOf, revision, now, by }: Arrival) {
  const limitMs = kind === 'not-found' ? Math.min(freshMs ?? NOT_FOUND_MS, NOT_FOUND_MS) : freshMs
  return { asOf, revision, madeBy: by, renderedAt: now - ageMs, freshMs: limitMs, tags, cacheTags: undefined }
}

/** Undefined for an outcome that is no entry, and for one in another form than the requested one. */
function partsOf(as: EntryForm, { head, html, data }: Entry, build: readonly string[]) {
  switch (head.kind) {
    case 'page': {
      if (as !== 'entry') return undefined
      const { status, htmlEtag, dataEtag, policy, link } = head
      const document = [...build, ...(policy ? [policy.name, policy.value] : [])]
      const links = link === undefined ? [] : ['link', link]
      return {
        html: createPart({ status, type: TYPES.html, body: html, etag: htmlEtag, own: document, links }),
        data: createPart({ status: 200, type: TYPES.data, body: data, etag: dataEtag, own: build }),
        have: { htmlEtag, dataEtag },
        result: dataEtag,
      }
    }
    case 'next-data': {
      if (as !== 'next-data') return undefined
      const part = createPart({ status: 200, type: TYPES.data, body: data, etag: head.dataEtag, own: build })
      return { html: undefined, data: part, have: undefined, result: head.of }
    }
    case 'redirect': {
      const own = [...build, 'location', head.location]
      return {
        html: createPart({ status: head.status, body: NO_BODY, own }),
        data: createPart({ status: 200, type: TYPES.data, body: data, own: build, isPrivate: true }),
        have: undefined,
        result: head.location,
      }
    }
    case 'not-found': {
      const missing = createPart({ status: 404, type: TYPES.data, body: NOT_FOUND_DATA[as], own: build })
      return { html: undefined, data: missing, have: undefined, result: '' }
    }
    default:
      return undefined
  }
}

const SHARED = { by: 'response', text: CACHE_SHARED } as const
const OF_ONE_CLIENT = { by: 'response', text: CACHE_NONE } as const

interface PartOptions {
  status: number
  body: Buffer
  type?: string
  etag?: string
  /** Headers of every response. */
  own: readonly string[]
  /** Headers of responses with a body. */
  links?: readonly string[]
  isPrivate?: boolean
}

function createPart({ status, body, type, etag, own, links = [], isPrivate = false }: PartOptions): Part {
  const isShared = status === 200 && !isPrivate
  const unchanged = [...own]
  // The header distinguishes the forms of the body.
  if (body.length >= COMPRESSION.cached.leastBytes) unchanged.push('vary', 'accept-encoding')
  const headers = [...unchanged, ...links, ...(type === undefined ? [] : ['content-type', type])]
  const tag = isShared ? etag : undefined
  // SECURITY: not `vary`, to which a rule adds. Without the rule's names other caches would mix what the rule distinguishes.
  const names = new Set(['age', HEADERS.cache, ...headers.filter((name, at) => at % 2 === 0 && name !== 'vary')])
  return {
    status,
    etag: tag,
    plain: { body, headers: [...headers, ...sizeOf(body, tag)] },
    forms: {},
    unchanged,
    has: (name) => names.has(name),
    caching: isShared ? SHARED : OF_ONE_CLIENT,
  }
}

/** The headers that differ between the forms of a body. */
export function sizeOf(body: Buffer, etag: string | undefined): string[] {
  return [...(etag === undefined ? [] : ['etag', etag]), 'content-length', String(body.length)]
}
