// Sends a kept page: the prepared head, what belongs to the request alone, one write. Compressed forms are made once,
// for all clients (C7).

import type { IncomingMessage, ServerResponse } from 'node:http'
import { createEncodingChooser } from '@portico/shared/kit/http/accept-encoding.ts'
import { compressorsFor } from '@portico/shared/kit/http/compress.ts'
import { formTag, notModifiedTag } from '@portico/shared/kit/http/conditional.ts'
import type { Log } from '@portico/shared/kit/observe/log.ts'
import { tenths } from '@portico/shared/kit/observe/request-log.ts'
import { HEADERS } from '@portico/shared/wire/constants.ts'
import { COMPRESSION, type Encoding } from '@portico/shared/wire/encodings.ts'
import type { ErrorCode } from '@portico/shared/wire/errors/error-catalogue.ts'
import { exchangeOf } from '../exchange/exchange.ts'
import { type Form, type KeptEntry, type Part, sizeOf, type Verdict } from '../pages/pages.ts'
import { addTimings, type HeadWriter } from './head.ts'

const COMPRESSORS = compressorsFor('cached')
/** The request for a larger body without a form is served plain, and the form is made behind it. */
const WAITED_BYTES = 256 * 1024
/** Forms that wait for their turn; requests beyond are served plain. */
const MOST_QUEUED = 16

export interface Forms {
  /** The form that can be sent now. Undefined: `make` it first. */
  of(part: Part, encoding: Encoding): Form | undefined
  /**
   * Begins the form, and calls `done` with what is to be sent: the form, or the plain body if the form takes too long.
   * `onMade` is called once per form with its bytes.
   */
  make(part: Part, encoding: Encoding, done: (form: Form) => void, onMade: (bytes: number) => void): void
}

export function createForms({ log }: { log: Pick<Log, 'warn'> }): Forms {
  const queue: (() => void)[] = []
  let isBusy = false

  /** One at a time: compression shares the processors with the requests. */
  const next = () => {
    const work = queue.shift()
    isBusy = work !== undefined
    work?.()
  }

  const compress = (part: Part, encoding: Encoding, onMade: (bytes: number) => void) => {
    COMPRESSORS[encoding].whole(part.plain.body, (error, body) => {
      const waiting = part.forms[encoding]
      // Neither a form that failed nor one that would not be smaller is tried again.
      if (error) log.warn({ error, encoding }, 'page not compressed')
      const form = error || body.length >= part.plain.body.length ? part.plain : formOf(part, encoding, body)
      part.forms[encoding] = form
      if (form !== part.plain) onMade(body.length)
      if (Array.isArray(waiting)) for (const done of waiting) done(form)
      next()
    })
  }

  return {
    of(part, encoding) {
      if (part.plain.body.length < COMPRESSION.cached.leastBytes) return part.plain
      const form = part.forms[encoding]
      return Array.isArray(form) ? undefined : form
    },
    make(part, encoding, done, onMade) {
      const isWaitedFor = part.plain.body.length <= WAITED_BYTES
      const making = part.forms[encoding]
      if (Array.isArray(making)) {
        if (isWaitedFor) making.push(done)
        else done(part.plain)
        return
      }
      if (queue.length >= MOST_QUEUED) return done(part.plain)
      part.forms[encoding] = isWaitedFor ? [done] : []
      queue.push(() => compress(part, encoding, onMade))
      if (!isBusy) next()
      if (!isWaitedFor) done(part.plain)
    },
  }
}

function formOf({ plain, etag }: Part, encoding: Encoding, compressed: Buffer): Form {
  // node:zlib takes short results from the pool of node:buffer: a kept slice of the pool keeps all of the pool.
  const body = Buffer.allocUnsafeSlow(compressed.length)
  compressed.copy(body)
  const shared = plain.headers.slice(0, -sizeOf(plain.body, etag).length)
  const tag = etag === undefined ? undefined : formTag(etag, encoding, 'weak')
  return { body, headers: [...shared, 'content-encoding', encoding, ...sizeOf(body, tag)] }
}

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
