// From the response of middleware to a verdict (X15): the headers with which Next.js says what follows are read here and
// nowhere else, and none of them leaves.

import { pairsOf } from '@portico/shared/kit/http/site-code/web-headers.ts'
import { MIDDLEWARE_BODY_LIMIT_BYTES, MIDDLEWARE_HEADER_PREFIX } from '@portico/shared/wire/constants.ts'
import {
  NAMES_HEADER,
  NEXT_HEADER,
  REWRITE_HEADER,
  VALUE_PREFIX,
} from '@portico/shared/wire/middleware/step-headers.ts'
import {
  bodyFault,
  type HeaderChanges,
  isReservedVerdictHeader,
  MiddlewareFault,
  type MiddlewareVerdict,
} from '@portico/shared/wire/middleware/verdict.ts'
import { REDIRECT_STATUSES } from '@portico/shared/wire/page-data.ts'
import { isReservedRequestHeader } from '@portico/shared/wire/policy/request-headers.ts'
import { stripBasePath } from '@portico/shared/wire/routing/urls.ts'

/** The request to which middleware responded. */
interface GuardedRequest {
  /** Absolute. */
  url: string
  headers: Readonly<Record<string, string>>
  basePath: string
}

/** Receives the name of a header that middleware cannot set. */
export type NoteReserved = (name: string) => void

/** Throws MiddlewareFault for a response that cannot be carried out. */
export async function readVerdict(
  response: Response | null | undefined,
  request: GuardedRequest,
  noteReserved: NoteReserved,
): Promise<MiddlewareVerdict> {
  if (response === null || response === undefined) return { kind: 'next', responseHeaders: [] }
  if (!isResponse(response)) throw new MiddlewareFault('middleware must return a Response or nothing')
  const { headers, status } = response
  const requestHeaders = changesOf(headers, request.headers, noteReserved)
  const responseHeaders = responseHeadersOf(headers, noteReserved)
  const location = headers.get('location')
  const redirectStatus = REDIRECT_STATUSES.find((known) => known === status)
  if (location !== null && redirectStatus !== undefined) {
    const rest = responseHeaders.filter(([name]) => name !== 'location')
    return {
      kind: 'redirect',
      status: redirectStatus,
      location: onSite(location, request) ?? location,
      responseHeaders: rest,
    }
  }
  const rewrite = headers.get(REWRITE_HEADER)
  const changes = requestHeaders && { requestHeaders }
  if (rewrite !== null) return { kind: 'rewrite', target: targetOf(rewrite, request), responseHeaders, ...changes }
  if (headers.has(NEXT_HEADER)) return { kind: 'next', responseHeaders, ...changes }
  const body = (await readBytes(response)).toString('base64')
  return { kind: 'response', status, body, responseHeaders }
}

/** A Response of another realm or a subclass: each bundle may have its own. */
function isResponse(value: unknown): value is Response {
  const { headers, status } = (value ?? {}) as Partial<Response>
  return typeof headers?.getSetCookie === 'function' && typeof status === 'number'
}

function changesOf(
  headers: Headers,
  given: GuardedRequest['headers'],
  noteReserved: NoteReserved,
): HeaderChanges | undefined {
  const listed = headers.get(NAMES_HEADER)
  if (listed === null) return undefined
  const names = new Set(
    listed
      .split(',')
      .map((name) => name.trim().toLowerCase())
      .filter((name) => name !== ''),
  )
  const set: HeaderChanges['set'] = {}
  for (const name of names) {
    const value = headers.get(VALUE_PREFIX + name)
    if (value === null || value === given[name]) continue
    if (isReservedRequestHeader(name)) noteReserved(name)
    else set[name] = value
  }
  // The list is of all headers that remain. Those of the gateway remain in any case.
  const remove = Object.keys(given).filter((name) => !names.has(name) && !isReservedRequestHeader(name))
  return { set, remove }
}

function responseHeadersOf(headers: Headers, noteReserved: NoteReserved): [string, string][] {
  const pairs: [string, string][] = []
  for (const pair of pairsOf(headers)) {
    const [name] = pair
    if (name.startsWith(MIDDLEWARE_HEADER_PREFIX)) continue
    if (isReservedVerdictHeader(name)) noteReserved(name)
    else pairs.push(pair)
  }
  return pairs
}

/** Path, query and fragment of an address of this site; undefined for another origin and for what is no address. */
function onSite(address: string, { url }: GuardedRequest): string | undefined {
  if (!URL.canParse(address, url)) return undefined
  const target = new URL(address, url)
  if (target.origin !== new URL(url).origin) return undefined
  // SECURITY: a path with two slashes is another host in a Location, and so is what remains without basePath in a browser.
  return target.pathname.replace(/\/{2,}/g, '/') + target.search + target.hash
}

function targetOf(rewrite: string, request: GuardedRequest): string {
  const own = onSite(rewrite, request)
  if (own === undefined) return URL.canParse(rewrite) ? withoutHash(new URL(rewrite).href) : rewrite
  const [path = '/'] = own.split(/[?#]/, 1)
  const below = stripBasePath(path, request.basePath)
  if (below === undefined)
    throw new MiddlewareFault(`middleware rewrites to ${path}, which is outside of basePath ${request.basePath}`)
  return withoutHash(below + own.slice(path.length))
}

function withoutHash(address: string): string {
  return address.split('#', 1)[0]!
}

async function readBytes({ body }: Response): Promise<Buffer> {
  if (!body) return Buffer.alloc(0)
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body) {
    bytes += chunk.byteLength
    const fault = bodyFault(bytes)
    // SECURITY: the response of another server, passed on, may have no end. Leaving the loop cancels the stream.
    if (fault !== undefined) throw new MiddlewareFault(fault)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks, Math.min(bytes, MIDDLEWARE_BODY_LIMIT_BYTES))
}
