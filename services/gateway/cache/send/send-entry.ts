// Sends a kept page: the prepared head, what belongs to the request alone, one write.

import type { IncomingMessage, ServerResponse } from 'node:http'
import { createEncodingChooser } from '@portico/shared/kit/http/accept-encoding.ts'
import { notModifiedTag } from '@portico/shared/kit/http/conditional.ts'
import { tenths } from '@portico/shared/kit/observe/request-log.ts'
import { HEADERS } from '@portico/shared/wire/constants.ts'
import { COMPRESSION } from '@portico/shared/wire/encodings.ts'
import type { ErrorCode } from '@portico/shared/wire/errors/error-catalogue.ts'
import { exchangeOf } from '../../request/exchange.ts'
import { addTimings } from '../../rules/added-query.ts'
import type { GatewayHeaders } from '../../rules/gateway-headers.ts'
import type { Verdict } from '../decide.ts'
import type { Form, KeptEntry, Part } from '../kept-entry.ts'
import type { Forms } from './forms.ts'

/** What is sent, apart from the choice between document and page data. */
export interface Sent {
  readonly entry: KeptEntry
  readonly verdict: Verdict
  readonly ageMs: number
  /** Whether a change that this gateway has not seen may name the entry. */
  readonly mayBeOld?: boolean
}

export type EntrySender = ReturnType<typeof createEntrySender>

interface EntrySenderDeps {
  gatewayHeaders: GatewayHeaders
  forms: Forms
  /** The entry received a compressed form of so many bytes. */
  onGrown: (entry: KeptEntry, bytes: number) => void
}

export function createEntrySender({ gatewayHeaders, forms, onGrown }: EntrySenderDeps) {
  const encodingOf = createEncodingChooser(COMPRESSION.cached.preferred)

  const addOwn = (headers: string[], request: IncomingMessage, part: Part, sent: Sent): string[] => {
    const { verdict, ageMs, entry, mayBeOld = false } = sent
    const age = String(Math.floor(ageMs / 1000))
    const exchange = exchangeOf(request)
    headers.push(HEADERS.cache, verdict, 'age', age)
    addTimings(headers, timingOf(verdict, exchange.upstreamMs), exchange)
    gatewayHeaders.addTo(headers, part.has, request)
    const { cdn } = gatewayHeaders
    // Only parts that all clients share have a validator.
    cdn?.ofEntry(headers, exchange, { entry, ageMs, isShared: part.etag !== undefined, mayBeOld })
    return headers
  }

  const sendForm = (response: ServerResponse, part: Part, { body, headers }: Form, sent: Sent): void => {
    const { req } = response
    response.writeHead(part.status, addOwn(headers.slice(), req, part, sent))
    response.end(req.method === 'HEAD' ? undefined : body)
  }

  return function sendEntry(request: IncomingMessage, response: ServerResponse, part: Part, sent: Sent): void {
    const exchange = exchangeOf(request)
    exchange.cache = sent.verdict
    if (part.status === 404) exchange.code = 'not-found' satisfies ErrorCode
    const held = part.etag === undefined ? undefined : notModifiedTag(exchange.ifNoneMatch, part.etag)
    if (held !== undefined) {
      response.writeHead(304, addOwn([...part.unchanged, 'etag', held], request, part, sent)).end()
      return
    }
    const encoding = encodingOf(request.headers['accept-encoding'])
    const form = encoding === undefined ? part.plain : forms.of(part, encoding)
    if (form) {
      sendForm(response, part, form, sent)
      return
    }
    const onForm = (made: Form) => {
      // The client may have disconnected while the form was made.
      if (!response.destroyed) sendForm(response, part, made, sent)
    }
    forms.make(part, encoding!, onForm, (bytes) => onGrown(sent.entry, bytes))
  }
}

const TIMINGS: Readonly<Record<Verdict, string>> = {
  HIT: 'cache;desc=HIT',
  STALE: 'cache;desc=STALE',
  MISS: 'cache;desc=MISS',
}

/** With the time of the renderer, where the response waited for a fill. */
function timingOf(verdict: Verdict, upstreamMs: number | undefined): string {
  const cache = TIMINGS[verdict]
  return upstreamMs === undefined ? cache : `${cache}, upstream;dur=${tenths(upstreamMs)}`
}
