// Compressed forms of kept pages: made once, for all clients (C7).

import { compressorsFor } from '@portico/shared/kit/http/compress.ts'
import { formTag } from '@portico/shared/kit/http/conditional.ts'
import type { Log } from '@portico/shared/kit/observe/log.ts'
import { COMPRESSION, type Encoding } from '@portico/shared/wire/encodings.ts'
import { type Form, type Part, sizeOf } from '../cache/kept-entry.ts'

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
