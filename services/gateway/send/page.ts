// Responds to requests for pages from the page cache; everything else passes to the proxy (C1).

import type { IncomingMessage, ServerResponse } from 'node:http'
import { isClientGone } from '@portico/shared/kit/http/client-gone.ts'
import { HEADERS } from '@portico/shared/wire/constants.ts'
import { namesDraftMode } from '@portico/shared/wire/cookies/draft-mode.ts'
import { ERROR_CATALOGUE } from '@portico/shared/wire/errors/error-catalogue.ts'
import type { Representation } from '@portico/shared/wire/routing/urls.ts'
import { exchangeOf, type Found, type Passage } from '../exchange/exchange.ts'
import {
  type CacheBypass,
  type CacheMetrics,
  type Filled,
  isNotFoundScreen,
  notFoundScreen,
  type Page,
  type PageCache,
  pageOf,
} from '../pages/pages.ts'
import type { EntrySender, Sent } from './entry.ts'
import type { ErrorSender } from './error.ts'

/** Responds, or returns false for a request that no entry can serve. */
export type PageResponder = (request: IncomingMessage, response: ServerResponse, passage: Passage) => boolean

interface PageResponderDeps {
  cache: Pick<PageCache, 'find'>
  sendEntry: EntrySender
  errors: Pick<ErrorSender, 'send' | 'sendThrown'>
  buildId: string
  /** Responds through the proxy. */
  pass: (request: IncomingMessage, response: ServerResponse, passage: Passage) => void
  count: CacheMetrics['count']
}

interface Context {
  request: IncomingMessage
  response: ServerResponse
  passage: Passage
  as: Representation
  page: Page
}

const PASS: Filled = { kind: 'pass' }
/** As of the proxy. */
const RETRY_AFTER = { 'retry-after': '1' }

export function createPageResponder(deps: PageResponderDeps): PageResponder {
  const { cache, sendEntry, pass, count } = deps

  const sendKept = (context: Context, sent: Sent): void => {
    const { request, response, as, page } = context
    const part = as === 'html' ? sent.entry.html : sent.entry.data
    if (part) {
      count(sent.verdict, as)
      sendEntry(request, response, part, sent)
    }
    // The screen is the same for all pages. It has a document, or the proxy responds.
    else if (isNotFoundScreen(page)) sendFilled(context, PASS)
    else send({ ...context, page: notFoundScreen(page.locale) })
  }

  const sendFilled = (context: Context, filled: Filled, bypass: CacheBypass = 'not-kept'): void => {
    const { request, response, passage, as, page } = context
    if (isClientGone(response)) return
    if (filled.kind === 'entry') {
      const exchange = exchangeOf(request)
      exchange.notes.attempts = 1
      exchange.notes.replica = filled.by
      exchange.notes.rendererCache = filled.rendererVerdict
      exchange.notes.upstreamMs = performance.now() - exchange.startedAt
      sendKept(context, filled)
    } else if (filled.kind === 'error') {
      // The renderer's own response, also while it is kept for others.
      exchangeOf(request).notes.attempts = 1
      count('ERROR', as)
      sendFailure(deps, context, filled)
    } else {
      count('PASS', as)
      exchangeOf(request).notes.bypass = bypass
      pass(request, response, { ...passage, page: page.name })
    }
  }

  /** An error of one response must not reach the fill, which has the responses of others to call. */
  const later = ({ request, response }: Context, work: () => void): void => {
    if (isClientGone(response)) return
    try {
      work()
    } catch (error) {
      deps.errors.sendThrown(request, response, error)
    }
  }

  const send = (context: Context, isConfirmed = false): void => {
    const found = cache.find(context.page, isConfirmed)
    if (found.kind === 'entry') sendKept(context, found)
    else if (found.kind === 'wait') found.wait((filled) => later(context, () => sendFilled(context, filled)))
    else if (found.kind === 'confirm') void found.confirm().then(() => later(context, () => send(context, true)))
    else {
      // The page cache has or had the page, but neither the state store nor a renderer confirms it (C5).
      const passage = { ...context.passage, isUnconfirmed: isConfirmed }
      sendFilled({ ...context, passage }, PASS, 'no-renderer')
    }
  }

  return function respond(request, response, passage) {
    const exchange = exchangeOf(request)
    const as = exchange.pageData?.as ?? 'html'
    const page = pageOrBypass(request)
    if (typeof page !== 'string') {
      send({ request, response, passage, as, page })
      return true
    }
    exchange.notes.bypass = page
    if (page === 'draft') count('PASS', as)
    return false
  }
}

/** The page whose entry may serve the request, or why none can. */
export function pageOrBypass(request: IncomingMessage): Page | CacheBypass {
  if (request.method !== 'GET' && request.method !== 'HEAD') return 'method'
  const { found, pageData } = exchangeOf(request)
  const page = pageOf(found.resolution, pageData?.as ?? 'html')
  // X13: a renderer verifies the cookie. SECURITY: the cookie decides nothing here but who responds.
  const isDraft = typeof page !== 'string' && isStatic(found.resolution) && namesDraftMode(request.headers.cookie)
  return isDraft ? 'draft' : page
}

/** Only what getStaticProps makes is another page in draft mode. */
function isStatic(resolution: Found['resolution']): boolean {
  return resolution?.kind === 'page' && resolution.entry.data === 'static'
}

function sendFailure(
  { errors, buildId }: PageResponderDeps,
  { request, response, as }: Context,
  { code, digest, screen }: Extract<Filled, { kind: 'error' }>,
): void {
  exchangeOf(request).notes.cache = 'ERROR'
  const { policy, link } = as === 'html' && screen ? screen : {}
  errors.send(request, response, code, {
    ...(digest !== undefined && { digest }),
    ...(screen && { document: screen.html.toString() }),
    headers: {
      [HEADERS.build]: buildId,
      ...(policy && { [policy.name]: policy.value }),
      ...(link && { link }),
      ...(ERROR_CATALOGUE[code].status === 503 && RETRY_AFTER),
    },
  })
}
