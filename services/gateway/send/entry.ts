// Sends a kept page: the prepared head, what belongs to the request alone, one write.

import type { IncomingMessage, ServerResponse } from 'node:http'
import { createEncodingChooser } from '@portico/shared/kit/http/accept-encoding.ts'
import { notModifiedTag } from '@portico/shared/kit/http/conditional.ts'
import { tenths } from '@portico/shared/kit/observe/request-log.ts'
import { HEADERS } from '@portico/shared/wire/constants.ts'
import { COMPRESSION } from '@portico/shared/wire/encodings.ts'
import type { ErrorCode } from '@portico/shared/wire/errors/error-catalogue.ts'
import type { Verdict } from '../cache/decide.ts'
import type { Form, KeptEntry, Part } from '../cache/kept-entry.ts'
import { exchangeOf } from '../request/exchange.ts'
import type { Forms } from './forms.ts'
import type { HeadWriter } from './head.ts'
import { addTimings } from './timings.ts'

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
  head: HeadWriter
  forms: Forms
  /** The entry received a compressed form of so many bytes. */
  onGrown: (entry: KeptEntry, bytes: number) => void
}

export function createEntrySender({ head, forms, onGrown }: EntrySenderDeps) {
  const encodingOf = createEncodingChooser(COMPRESSION.cached.preferred)

  /** `headers`: those of the part in this form, which are written to. */
  const writeHead = (response: ServerResponse, part: Part, sent: Sent, status: number, headers: string[]): void => {
    const { verdict, ageMs, entry, mayBeOld = false } = sent
    const { req } = response
    const exchange = exchangeOf(req)
    headers.push(HEADERS.cache, verdict, 'age', String(Math.floor(ageMs / 1000)))
    addTimings(headers, timingOf(verdict, exchange.notes.upstreamMs), exchange)
    head.write(req, response, {
      status,
      headers,
      has: part.has,
      caching: part.caching,
      // Only parts that all clients share have a validator.
      entry: { entry, ageMs, isShared: part.etag !== undefined, mayBeOld },
    })
  }

  const sendForm = (response: ServerResponse, part: Part, { body, headers }: Form, sent: Sent): void => {
    writeHead(response, part, sent, part.status, headers.slice())
    response.end(response.req.method === 'HEAD' ? undefined : body)
  }

  return function sendEntry(request: IncomingMessage, response: ServerResponse, part: Part, sent: Sent): void {
    const exchange = exchangeOf(request)
    exchange.notes.cache = sent.verdict
    if (part.status === 404) exchange.notes.code = 'not-found' satisfies ErrorCode
    const held = part.etag === undefined ? undefined : notModifiedTag(exchange.ifNoneMatch, part.etag)
    if (held !== undefined) {
      writeHead(response, part, sent, 304, [...part.unchanged, 'etag', held])
      response.end()
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
