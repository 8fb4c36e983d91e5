// Asks the renderer for fresh page data or for a page with its form state (A6, W6).

import { Agent, request as httpRequest, type IncomingHttpHeaders } from 'node:http'
import type { Log } from '../shared/node/log.ts'
import type { InnerRenderRequest } from '../shared/wire/action-wire.ts'

export interface RenderedPage {
  status: number
  headers: IncomingHttpHeaders
  body: Buffer
}

export interface FreshData {
  /** Page data as JSON text (W2). */
  json: string
  setCookies: string[]
}

export interface RendererClient {
  /** Fresh page data; undefined when the renderer is away, late or answers something else. */
  freshData(request: InnerRenderRequest, requestId: string): Promise<FreshData | undefined>
  /** A whole document; undefined likewise. */
  page(request: InnerRenderRequest, requestId: string): Promise<RenderedPage | undefined>
}

/** Data is a convenience: the browser fetches it itself when this takes longer. */
const DATA_TIMEOUT_MS = 5000
/** A document must be waited for: a data function may take its 10 s, and rendering comes on top. */
const PAGE_TIMEOUT_MS = 15_000
/** A document larger than this is not relayed; it would be held in memory. */
const PAGE_LIMIT_BYTES = 16 * 1024 * 1024

export interface RendererClientDeps {
  innerUrl: URL
  token: string
  log: Log
  dataTimeoutMs?: number
  pageTimeoutMs?: number
}

export function createRendererClient(deps: RendererClientDeps): RendererClient {
  const { innerUrl, token, log, dataTimeoutMs = DATA_TIMEOUT_MS, pageTimeoutMs = PAGE_TIMEOUT_MS } = deps
  // The renderer keeps connections for 75 s; this side must let go first.
  const agent = new Agent({ keepAlive: true, maxFreeSockets: 64, timeout: 60_000 })
  const target = new URL('/internal/render', innerUrl)

  const post = async (body: InnerRenderRequest, requestId: string, timeoutMs: number) => {
    const text = JSON.stringify(body)
    const options = {
      method: 'POST',
      agent,
      signal: AbortSignal.timeout(timeoutMs),
      headers: {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(text),
        authorization: `Bearer ${token}`,
        'x-request-id': requestId,
      },
    }
    try {
      return await send(target, options, text)
    } catch (error) {
      // A kept connection that the renderer closed meanwhile: rendering changes nothing, so once more on a new one.
      if ((error as NodeJS.ErrnoException).code === 'ECONNRESET')
        return send(target, { ...options, agent: false }, text)
      throw error
    }
  }

  return {
    async freshData(request, requestId) {
      try {
        const { status, headers, body } = await post(request, requestId, dataTimeoutMs)
        const json = body.toString('utf8')
        if (status < 500 && isPageData(headers, json)) return { json, setCookies: headers['set-cookie'] ?? [] }
        log.warn({ status, requestId }, 'the renderer gave no fresh page data')
      } catch (error) {
        // The action has run: its value is answered without page data.
        log.warn({ error, requestId }, 'the renderer gave no fresh page data')
      }
      return undefined
    },
    async page(request, requestId) {
      try {
        const page = await post(request, requestId, pageTimeoutMs)
        if (/^text\/html\b/i.test(page.headers['content-type'] ?? '')) return page
        log.warn({ status: page.status, requestId }, 'the renderer gave no document')
      } catch (error) {
        // The action has run: the caller answers in the plain form.
        log.warn({ error, requestId }, 'the renderer gave no document')
      }
      return undefined
    },
  }
}

/**
 * Whether the text is page data, by its type and its beginning. It is whole, since a body that is cut short is an error;
 * it goes to the browser as text, which parses and checks it. Parsing it here as well would cost as much as the action.
 */
function isPageData(headers: IncomingHttpHeaders, json: string): boolean {
  if (!/^application\/json\b/i.test(headers['content-type'] ?? '')) return false
  return /^\{"kind":"(?:page|redirect|not-found|foreign-build)"[,}]/.test(json)
}

type SendOptions = Parameters<typeof httpRequest>[1]

function send(target: URL, options: SendOptions, text: string): Promise<RenderedPage> {
  return new Promise((resolve, reject) => {
    const outgoing = httpRequest(target, options, (response) => {
      const chunks: Buffer[] = []
      let received = 0
      response.on('data', (chunk: Buffer) => {
        received += chunk.length
        if (received > PAGE_LIMIT_BYTES) outgoing.destroy(new Error('the rendered document is too large'))
        else chunks.push(chunk)
      })
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 500, headers: response.headers, body: Buffer.concat(chunks) }),
      )
      response.on('error', reject)
    })
    outgoing.on('error', reject)
    outgoing.end(text)
  })
}
