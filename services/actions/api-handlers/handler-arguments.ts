// The request and the response of an API handler: Node's request with `query`, `cookies`, `body` and draft mode, and
// Node's response with `status`, `json`, `send` and `redirect` of the Pages Router.

import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable, Stream } from 'node:stream'
import { draftCookieLines } from '@portico/shared/kit/cookies/draft-cookies.ts'
import { entityTag, notModifiedTag } from '@portico/shared/kit/http/conditional.ts'
import { asClientRequest } from '@portico/shared/kit/http/site-code/client-request.ts'
import { whenClosed } from '@portico/shared/kit/when-closed.ts'
import { CACHE_NONE, isForSharedCaches } from '@portico/shared/wire/caching.ts'
import {
  DRAFT_COOKIE,
  type DraftCookie,
  type DraftCookieOptions,
  type DraftSite,
  draftCookie,
  type PreviewData,
  previewCookies,
  removedDraftCookie,
  removedDraftCookies,
} from '@portico/shared/wire/cookies/draft-mode.ts'
import { refuseInternalHeader } from '@portico/shared/wire/policy/internal-headers.ts'
import type { RouteParams } from '@portico/shared/wire/route-params.ts'
import { parseQuery } from '@portico/shared/wire/routing/urls.ts'
import type { Cookies, RequestFacts } from '../request/request.ts'

export type ApiRequest = IncomingMessage & { query: RouteParams; cookies: Cookies; body: unknown } & DraftFacts

/** Draft mode with the names of Next.js: `previewData` is false where it is off. */
interface DraftFacts {
  draftMode: true | undefined
  preview: true | undefined
  previewData: PreviewData | false
}

interface ApiRequestParts extends Pick<RequestFacts, 'search' | 'cookies' | 'draft' | 'address' | 'isSecure'> {
  params: RouteParams
  body: unknown
}

/** Adds the members, and the client's end to `socket`. Dynamic params win over query parameters of the same name. */
export function createApiRequest(request: IncomingMessage, parts: ApiRequestParts): ApiRequest {
  const { search, params, cookies, draft, body } = parts
  const query = Object.assign(parseQuery(search), params)
  const isOn = draft.kind === 'on' || undefined
  const drafted: DraftFacts = { draftMode: isOn, preview: isOn, previewData: draft.kind === 'on' && draft.data }
  return asClientRequest(request, { query, cookies, body, ...drafted }, parts)
}

interface ApiResponseMembers {
  status(code: number): ApiResponse
  json(value: unknown): void
  /** Sends objects as JSON, strings as HTML unless a type is set, buffers and streams as bytes. */
  send(value: unknown): void
  /** The default status is 307. */
  redirect(statusOrLocation: number | string, location?: string): ApiResponse
  /** Marks the page at a path as out of date, as `revalidatePath` does; resolves when no renderer has it any more. */
  revalidate(path: string): Promise<void>
  /** Switches draft mode on, with data for `getStaticProps` and `getServerSideProps`. */
  setPreviewData(data: PreviewData, options?: DraftCookieOptions): ApiResponse
  /** Removes both cookies of draft mode; a second call changes nothing. */
  clearPreviewData(options?: Pick<DraftCookieOptions, 'path'>): ApiResponse
  setDraftMode(options?: { enable: boolean }): ApiResponse
  /** Sends the head; Node sends written bytes immediately. */
  flush(): void
}

export type ApiResponse = ServerResponse & ApiResponseMembers

interface ApiResponseHooks {
  /** Set-Cookie values of `cookies().set`; added when the head is sent. */
  setCookies: () => string[]
  /** Whether the handler has read a session: then no cache may keep the response. */
  isPersonal: () => boolean
  /** Awaited before the response ends: a client may request fresh data immediately after the response (D6). */
  beforeEnd: () => Promise<void> | undefined
  /** Seals the cookies of draft mode. */
  draftSite: DraftSite
  /** The handler sets cookies of draft mode: no cache may keep the response. */
  onDraft: () => void
  /** Returns the Location of a redirect; undefined refuses the redirect. */
  locate: (location: string) => string | undefined
  /** Publishes the change of a page. */
  revalidate: (path: string) => Promise<void>
  /** Responds to a fault that the handler does not see: of a stream that it sends. */
  onFault: (error: unknown) => void
}

/** Adds the members and the hooks, and refuses the framework's own headers. */
export function createApiResponse(response: ServerResponse, hooks: ApiResponseHooks): ApiResponse {
  // Each layer of the service observes the end, and so does each stream of a handler, in Node several times.
  response.setMaxListeners(0)
  checkHeaders(response)
  completeHead(response, hooks)
  delayEnd(response, hooks.beforeEnd)
  const members: ApiResponseMembers = {
    status(code) {
      response.statusCode = code
      return api
    },
    json(value) {
      if (!response.hasHeader('content-type')) response.setHeader('content-type', 'application/json; charset=utf-8')
      const text = JSON.stringify(value)
      endWith(response, Buffer.from(text ?? ''))
    },
    send(value) {
      if (value === undefined || value === null) return endWith(response, Buffer.alloc(0))
      if (Buffer.isBuffer(value) || value instanceof Uint8Array) {
        if (!response.hasHeader('content-type')) response.setHeader('content-type', 'application/octet-stream')
        return endWith(response, Buffer.from(value.buffer, value.byteOffset, value.byteLength))
      }
      if (value instanceof Stream) {
        if (!response.hasHeader('content-type')) response.setHeader('content-type', 'application/octet-stream')
        value.on('error', hooks.onFault)
        // A client that leaves reads no more of it.
        if (value instanceof Readable) whenClosed(response, () => value.destroy())
        // Any stream that is not a readable one has a pipe of its own, as Node's first streams.
        return void (value as Readable).pipe(response)
      }
      if (typeof value !== 'string') return members.json(value)
      if (!response.hasHeader('content-type')) response.setHeader('content-type', 'text/html; charset=utf-8')
      endWith(response, Buffer.from(value))
    },
    redirect(statusOrLocation, location) {
      const target = hooks.locate(typeof statusOrLocation === 'string' ? statusOrLocation : (location ?? ''))
      if (target === undefined) throw new Error('the location of res.redirect() must be a path or an http URL')
      response.statusCode = typeof statusOrLocation === 'number' ? statusOrLocation : 307
      response.setHeader('location', target)
      // SECURITY: a location may contain text of the request, and no browser may guess that it is HTML.
      response.setHeader('content-type', 'text/plain; charset=utf-8')
      endWith(response, Buffer.from(target))
      return api
    },
    async revalidate(path) {
      if (typeof path !== 'string' || !path.startsWith('/'))
        throw new Error(`res.revalidate(${JSON.stringify(path)}): the path must begin with "/"`)
      await hooks.revalidate(path)
    },
    ...draftMembers(response, hooks, () => api),
    flush() {
      if (!response.headersSent) response.flushHeaders()
    },
  }
  // ApiResponse is Node's response with the members above.
  const api = Object.assign(response, members) as ApiResponse
  return api
}

type DraftMembers = Pick<ApiResponseMembers, 'setPreviewData' | 'clearPreviewData' | 'setDraftMode'>

function draftMembers(
  response: ServerResponse,
  { draftSite, onDraft }: ApiResponseHooks,
  api: () => ApiResponse,
): DraftMembers {
  let isCleared = false
  const add = (...cookies: DraftCookie[]) => {
    for (const line of draftCookieLines(cookies)) response.appendHeader('set-cookie', line)
    onDraft()
    return api()
  }
  return {
    setPreviewData: (data, options) => add(...previewCookies(draftSite, data, options)),
    clearPreviewData(options) {
      if (isCleared) return api()
      isCleared = true
      return add(...removedDraftCookies(draftSite, options))
    },
    setDraftMode: ({ enable } = { enable: true }) =>
      add(enable ? draftCookie(draftSite) : removedDraftCookie(draftSite, DRAFT_COOKIE)),
  }
}

function endWith(response: ServerResponse, body: Buffer): void {
  if (!response.headersSent) compareTag(response, body)
  // RFC 9110 sections 8.6 and 15: 204 and 304 have no length and no body.
  const isBodiless = response.statusCode === 204 || response.statusCode === 304
  if (!response.headersSent) {
    if (isBodiless) response.removeHeader('content-type')
    else response.setHeader('content-length', body.length)
  }
  response.end(isBodiless || response.req.method === 'HEAD' ? undefined : body)
}

/** Adds the entity tag of a response to GET, and makes it a 304 where the client has this body (RFC 9110 section 13.2.2). */
function compareTag(response: ServerResponse, body: Buffer): void {
  const { method, headers } = response.req
  if (response.statusCode !== 200 || (method !== 'GET' && method !== 'HEAD')) return
  if (!response.hasHeader('etag')) response.setHeader('etag', entityTag(body))
  const held = notModifiedTag(headers['if-none-match'], String(response.getHeader('etag')))
  if (held === undefined) return
  response.statusCode = 304
  response.setHeader('etag', held)
}

/** Node's writeHead and setHeaders call these two for each header, because the response has headers already. */
function checkHeaders(response: ServerResponse): void {
  for (const method of ['setHeader', 'appendHeader'] as const) {
    const set = response[method].bind(response) as (name: string, value: string | readonly string[]) => ServerResponse
    response[method] = (name: string, value: unknown) => {
      refuseInternalHeader(name)
      // Code for the Pages Router expects a list of cookies. The cast: Node checks the value.
      const isList = Array.isArray(value) || name.toLowerCase() !== 'set-cookie'
      return set(name, isList ? (value as string) : [value as string])
    }
  }
}

function completeHead(response: ServerResponse, { setCookies, isPersonal }: ApiResponseHooks): void {
  const writeHead = response.writeHead.bind(response) as (...args: unknown[]) => ServerResponse
  // Node calls writeHead itself at the first write or end, so every head passes this function.
  response.writeHead = ((...args: unknown[]) => {
    if (response.headersSent) return writeHead(...args)
    for (const cookie of setCookies()) response.appendHeader('set-cookie', cookie)
    if (isPersonal()) forbidReuse(response)
    return writeHead(...args)
  }) as ServerResponse['writeHead']
}

/** SECURITY: no cache may keep a client's session cookie, or what was made for its session. */
function forbidReuse(response: ServerResponse): void {
  for (const name of response.getHeaderNames()) if (isForSharedCaches(name)) response.removeHeader(name)
  response.setHeader('cache-control', CACHE_NONE)
  const set = response.setHeader.bind(response)
  // The headers in the arguments of writeHead, which Node sets one by one.
  response.setHeader = (name, value) => {
    if (isForSharedCaches(name.toLowerCase())) return response
    return set(name, name.toLowerCase() === 'cache-control' ? CACHE_NONE : value)
  }
}

function delayEnd(response: ServerResponse, beforeEnd: () => Promise<void> | undefined): void {
  const end = response.end.bind(response) as (...args: unknown[]) => ServerResponse
  response.end = ((...args: unknown[]) => {
    const wait = beforeEnd()
    if (!wait) return end(...args)
    void wait.then(() => end(...args))
    return response
  }) as ServerResponse['end']
}

/** Calls `onLonger` once when the handler writes more than the limit; the response is sent unchanged. */
export function watchLength(response: ServerResponse, limitBytes: number, onLonger: () => void): void {
  let left = limitBytes
  const count = (chunk: unknown) => {
    if (left < 0 || (typeof chunk !== 'string' && !(chunk instanceof Uint8Array))) return
    left -= Buffer.byteLength(chunk)
    if (left < 0) onLonger()
  }
  for (const name of ['write', 'end'] as const) {
    const send = response[name].bind(response) as (...args: unknown[]) => never
    response[name] = (...args: unknown[]) => {
      count(args[0])
      return send(...args)
    }
  }
}
