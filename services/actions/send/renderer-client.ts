// Requests fresh page data, or a page with its form state, from a renderer of the same build that responds (A6, W6, O12).

import type { IncomingHttpHeaders } from 'node:http'
import { createInnerClient, type InnerFailure, type InnerResult } from '@portico/shared/kit/inner/inner-client.ts'
import { sendWithOneMore } from '@portico/shared/kit/inner/one-more.ts'
import { createPlaces, type NamedPlace } from '@portico/shared/kit/inner/places.ts'
import type { Log } from '@portico/shared/kit/observe/log.ts'
import type { InnerRenderRequest } from '@portico/shared/wire/action-wire.ts'
import { FORM_PAGE_MS, FRESH_DATA_MS, HEADERS } from '@portico/shared/wire/constants.ts'

export interface RenderedPage {
  status: number
  headers: IncomingHttpHeaders
  body: Buffer
}

export type RendererClient = ReturnType<typeof createRendererClient>

/** A larger document is not relayed, because this process holds the document in memory. */
const PAGE_LIMIT_BYTES = 16 * 1024 * 1024

interface RendererClientDeps {
  /** Each host may resolve to many replicas. */
  innerUrls: readonly URL[]
  token: () => string
  log: Log
  /** Renderers of another build refuse; absent: every renderer is of the build. */
  buildId?: string
  dataTimeoutMs?: number
  pageTimeoutMs?: number
  /** All addresses of a host name; default: the system's resolver. */
  lookup?: (host: string) => Promise<string[]>
}

export function createRendererClient(deps: RendererClientDeps) {
  const { token, log, buildId, dataTimeoutMs = FRESH_DATA_MS, pageTimeoutMs = FORM_PAGE_MS } = deps
  const client = createInnerClient({ token, limitBytes: PAGE_LIMIT_BYTES, takesAnyStatus: true })
  const places = createPlaces(deps)

  /** `isOnce`: page code may change data, so the request is sent again only where nothing of it was read (A7, G1). */
  const post = async (body: InnerRenderRequest, requestId: string, timeoutMs: number, isOnce = false) => {
    const signal = AbortSignal.timeout(timeoutMs)
    const request = {
      path: '/internal/render',
      json: JSON.stringify(body),
      headers: { 'x-request-id': requestId, ...(buildId !== undefined && { [HEADERS.build]: buildId }) },
      isRepeatable: !isOnce,
      signal,
    }
    const tried = new Set<string>()
    const send = async (place: NamedPlace): Promise<InnerResult> => {
      tried.add(place.name)
      const result = await client.send(place, request)
      if (result.kind === 'bytes' && isOfBuild(result.headers)) places.confirm(place)
      else if (result.kind === 'bytes') {
        // It has run nothing. SECURITY: a page of another build is not shown as the result of this build's action.
        places.forget(place.name)
        return otherBuild(`${place.name} is no renderer of build ${buildId}`)
      } else if (nothingListens(result.error)) places.forget(place.name)
      // SECURITY: a client whose page is too large must not make this process avoid renderers.
      else if (result.fault !== 'too-large' && result.fault !== 'head-too-large') places.avoid(place.name)
      return result
    }
    const next = async (place: NamedPlace, { fault }: InnerFailure) => {
      const other = await places.choose(signal, tried)
      if (!tried.has(other.name)) return other
      // The only one that is known, which responds again in a moment if its process was replaced.
      return tried.size === 1 && fault === 'broken' ? place : undefined
    }
    const first = await places.choose(signal)
    const { result } = await sendWithOneMore({ first, next, send, isRepeatable: !isOnce })
    if (result.kind === 'fault') throw result.error
    return { status: result.status, headers: result.headers, body: result.bytes }
  }
  const isOfBuild = (headers: IncomingHttpHeaders) => buildId === undefined || headers[HEADERS.build] === buildId

  return {
    /** Prefers other replicas for a while: this one did not confirm a change. */
    avoid: places.avoid,
    /** Page data as JSON text (W2); undefined when the renderer is unavailable or late, or responds without page data. */
    async freshData(request: InnerRenderRequest, requestId: string) {
      try {
        const { status, headers, body } = await post(request, requestId, dataTimeoutMs)
        const json = body.toString('utf8')
        if (status < 500 && isPageData(headers, json)) return { json, setCookies: headers['set-cookie'] ?? [] }
        log.warn({ status, requestId }, 'no fresh page data from the renderer')
      } catch (error) {
        // The action has run: the response has its value without page data.
        log.warn({ error, requestId }, 'no fresh page data from the renderer')
      }
      return undefined
    },
    /** The response of a page to a form; undefined when there is none, and the form may have been read. */
    async postedPage(request: InnerRenderRequest, requestId: string): Promise<RenderedPage | undefined> {
      try {
        return await post(request, requestId, pageTimeoutMs, true)
      } catch (error) {
        log.error({ error, requestId }, 'no response of the renderer to a form')
        return undefined
      }
    },
    /** A whole document; undefined in the same cases. */
    async page(request: InnerRenderRequest, requestId: string): Promise<RenderedPage | undefined> {
      try {
        const page = await post(request, requestId, pageTimeoutMs)
        if (/^text\/html\b/i.test(page.headers['content-type'] ?? '')) return page
        log.warn({ status: page.status, requestId }, 'no document from the renderer')
      } catch (error) {
        // The action has run: the caller responds without a document.
        log.warn({ error, requestId }, 'no document from the renderer')
      }
      return undefined
    },
    close: client.close,
  }
}

function nothingListens(error: Error): boolean {
  return 'code' in error && error.code === 'ECONNREFUSED'
}

function otherBuild(text: string): InnerFailure {
  return { kind: 'fault', fault: 'other-build', isUnsent: true, error: new Error(text) }
}

/**
 * Whether the text is page data, by its type and its beginning. The text is complete, since an incomplete body is an
 * error. The browser parses and checks the text; parsing the text here too would cost as much as the action.
 */
function isPageData(headers: IncomingHttpHeaders, json: string): boolean {
  if (!/^application\/json\b/i.test(headers['content-type'] ?? '')) return false
  return /^\{(?:"kind":"(?:page|redirect|not-found|foreign-build)"[,}]|"error":\{"status":40[13],)/.test(json)
}
