// Requests fresh page data, or a page with its form state, from a renderer of the same build that responds (A6, W6, O12).

import { Agent, request as httpRequest, type IncomingHttpHeaders, type RequestOptions } from 'node:http'
import { placeName, portOf } from '@portico/shared/kit/addresses/service-addresses.ts'
import { readWhole } from '@portico/shared/kit/http/read-body.ts'
import { lookupAll } from '@portico/shared/kit/life/replica-probe.ts'
import type { Log } from '@portico/shared/kit/observe/log.ts'
import type { InnerRenderRequest } from '@portico/shared/wire/action-wire.ts'
import { FORM_PAGE_MS, FRESH_DATA_MS, HEADERS } from '@portico/shared/wire/constants.ts'

export interface RenderedPage {
  status: number
  headers: IncomingHttpHeaders
  body: Buffer
}

export type RendererClient = ReturnType<typeof createRendererClient>

/** A replica that did not respond is not chosen for this long where there is another one. */
const AVOIDED_MS = 5000
/** More replicas than a stack has. */
const MOST_CONFIRMED = 1000
const NONE: ReadonlySet<string> = new Set()
/** Addresses are looked up again after this time. */
const KNOWN_MS = 1000
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
  // The renderer keeps idle connections for 75 s; this side must close first.
  const agent = new Agent({ keepAlive: true, maxFreeSockets: 64, timeout: 60_000 })
  const replicas = createReplicaChoice(deps)

  /** `isOnce`: page code may change data, so the request is sent again only where no connection was made (A7, G1). */
  const post = async (body: InnerRenderRequest, requestId: string, timeoutMs: number, isOnce = false) => {
    const text = JSON.stringify(body)
    const signal = AbortSignal.timeout(timeoutMs)
    const options = {
      path: '/internal/render',
      method: 'POST',
      agent,
      signal,
      headers: {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(text),
        authorization: `Bearer ${token()}`,
        'x-request-id': requestId,
        ...(buildId !== undefined && { [HEADERS.build]: buildId }),
      },
    }
    const sendTo = ({ host, port }: Place) =>
      isOnce ? send({ ...options, host, port, agent: false }, text) : sendAgain({ ...options, host, port }, text)
    const tried = new Set<string>()
    let failures = 0
    let place = await replicas.choose(signal)
    for (;;) {
      tried.add(place.name)
      let fault: unknown
      try {
        const page = await sendTo(place)
        if (buildId === undefined || page.headers[HEADERS.build] === buildId) {
          replicas.confirm(place)
          return page
        }
        // It has run nothing. SECURITY: a page of another build is not shown as the result of this build's action.
        replicas.forget(place.name)
        fault = new Error(`${place.name} is no renderer of build ${buildId}`)
      } catch (error) {
        fault = error
        if (isRefused(error)) replicas.forget(place.name)
        else {
          if (!signal.aborted && !isConnectionError(error)) throw error
          replicas.avoid(place.name)
          // No time is left: another replica is not asked, because it would seem to be late as well.
          if (isOnce || signal.aborted) throw error
          failures++
        }
      }
      const next = failures > 1 ? undefined : await replicas.choose(signal, tried)
      if (!next || tried.has(next.name)) throw fault
      place = next
    }
  }

  return {
    /** Prefers other replicas for a while: this one did not confirm a change. */
    avoid: replicas.avoid,
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
  }
}

/** A renderer's inner port. */
interface Place {
  host: string
  port: number
  /** As `placeName` writes it. */
  name: string
}

/** The replicas of the renderer in turn, without those that did not respond a moment ago. */
function createReplicaChoice({ innerUrls, lookup = lookupAll }: RendererClientDeps) {
  const avoidedUntil = new Map<string, number>()
  let known: { places: Place[]; until: number } | undefined
  /** Renderers of the build that responded: the resolver drops one that stops before it ends. */
  const confirmed = new Map<string, Place>()
  let turn = 0
  const isAvoided = ({ name }: Place) => (avoidedUntil.get(name) ?? 0) > performance.now()
  /** What each URL led to: used while the resolver fails, or returns no address, as it does when all renderers stop. */
  const found = new Map<URL, Place[]>()
  const placesOf = async (url: URL): Promise<Place[]> => {
    const port = portOf(url)
    const before = found.get(url)
    const hosts = await lookup(url.hostname).catch((error: unknown) => {
      if (!before) throw error
      return []
    })
    const places = hosts.map((host) => ({ host, port, name: placeName(host, port) }))
    if (places.length === 0) return before ?? []
    found.set(url, places)
    return places
  }
  const avoid = (name: string): void => {
    for (const [each, until] of avoidedUntil) if (until <= performance.now()) avoidedUntil.delete(each)
    avoidedUntil.set(name, performance.now() + AVOIDED_MS)
  }
  return {
    /** Rejects when the signal aborts, and when no address is known. */
    async choose(signal: AbortSignal, tried: ReadonlySet<string> = NONE): Promise<Place> {
      if (!known || known.until <= performance.now()) {
        const places = await unlessAborted(Promise.all(innerUrls.map(placesOf)), signal)
        known = { places: places.flat(), until: performance.now() + KNOWN_MS }
      }
      const { places } = known
      const isUsable = (place: Place) => !isAvoided(place) && !tried.has(place.name)
      const usable = places.filter(isUsable)
      const place =
        usable[turn++ % usable.length] ??
        [...confirmed.values()].find(isUsable) ??
        // Late a moment ago, and perhaps the last one of this build.
        [...confirmed.values()].find(({ name }) => !tried.has(name)) ??
        places[0]
      if (place === undefined) throw new Error(`${innerUrls.map(({ host }) => host).join(', ')} has no address`)
      return place
    },
    confirm(place: Place): void {
      confirmed.set(place.name, place)
      if (confirmed.size > MOST_CONFIRMED) confirmed.delete(confirmed.keys().next().value!)
    },
    /** For a while: a replica that was late still is one of the build, even where the resolver has dropped it. */
    avoid,
    /** Nothing listens there any more, or another build does. */
    forget(name: string): void {
      confirmed.delete(name)
      avoid(name)
    },
  }
}

function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = new Promise<never>((_done, fail) => {
    if (signal.aborted) fail(signal.reason)
    signal.addEventListener('abort', () => fail(signal.reason), { once: true })
  })
  return Promise.race([promise, aborted])
}

function isRefused(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ECONNREFUSED'
}

/** An error of the system, and not of the response. */
function isConnectionError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^E[A-Z]+$/.test(String(error.code))
}

/**
 * Whether the text is page data, by its type and its beginning. The text is complete, since an incomplete body is an
 * error. The browser parses and checks the text; parsing the text here too would cost as much as the action.
 */
function isPageData(headers: IncomingHttpHeaders, json: string): boolean {
  if (!/^application\/json\b/i.test(headers['content-type'] ?? '')) return false
  return /^\{(?:"kind":"(?:page|redirect|not-found|foreign-build)"[,}]|"error":\{"status":40[13],)/.test(json)
}

/** The renderer may have closed an idle connection: rendering changes nothing, so the request is sent again on a new one. */
async function sendAgain(options: RequestOptions, text: string): Promise<RenderedPage> {
  try {
    return await send(options, text)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ECONNRESET') return send({ ...options, agent: false }, text)
    throw error
  }
}

function send(options: RequestOptions, text: string): Promise<RenderedPage> {
  return new Promise((resolve, reject) => {
    const outgoing = httpRequest(options, (response) => {
      readWhole(response, { limitBytes: () => PAGE_LIMIT_BYTES }).then(
        (body) => resolve({ status: response.statusCode ?? 500, headers: response.headers, body }),
        (error: Error) => {
          // The cause of a body that ended too early is the fault of the connection.
          reject(error.cause ?? error)
          outgoing.destroy()
        },
      )
    })
    outgoing.on('error', reject)
    outgoing.end(text)
  })
}
