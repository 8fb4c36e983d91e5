// Counts the body of a request that waits for a decision of the gateway before a service is chosen (A7, G8).

import type { IncomingMessage, ServerResponse } from 'node:http'
import { networkOf } from '@portico/shared/kit/http/network-of.ts'
import { type Exchange, exchangeOf } from '../../request/exchange.ts'
import type { ErrorSender } from '../../send/error.ts'
import type { ForwardedFacts } from '../headers/forwarded.ts'
import { framingForUpstream } from '../headers/request-framing.ts'
import { type Stop, sendStop } from '../proxy-errors.ts'
import type { BodySender, RequestBodies } from './request-bodies.ts'

interface BodyHolderDeps {
  bodies: RequestBodies<BodySender>
  errors: ErrorSender
  forwarded: (request: IncomingMessage) => ForwardedFacts
  noteRefusal: (exchange: Exchange, stop: Stop) => void
}

/** Holds room until the returned function is called. Responds if there is none, or if another address displaces the body. */
export function createBodyHolder({ bodies, errors, forwarded, noteRefusal }: BodyHolderDeps) {
  return (request: IncomingMessage, response: ServerResponse): (() => void) => {
    const framing = framingForUpstream(request)
    if (framing.kind === 'none') return () => {}
    const holder: BodySender = {
      request,
      framing,
      network: networkOf(forwarded(request).client),
      shares: [],
      body: undefined,
      dispatch() {},
      onBodyBroken() {},
      stop(stop) {
        noteRefusal(exchangeOf(request), stop)
        sendStop(errors, stop, { request, response, isBodyUnread: !request.complete })
        request.resume()
      },
    }
    let isOver = false
    // A body that arrives with its head is complete once the parser has returned.
    setImmediate(() => {
      if (isOver || request.complete || response.headersSent || bodies.wait(holder)) return
      holder.stop({ why: 'overloaded', refusal: 'bodies-full' })
    })
    return () => {
      isOver = true
      bodies.release(holder)
    }
  }
}
