// The inner port's end of the invalidation feed (W10).

import { INVALIDATION_PATH, type InvalidationMessage, parseInvalidation } from '../../wire/invalidation.ts'
import { sendError } from '../http/error-response.ts'
import { type InnerRoute, sendJson } from '../life/inner-port.ts'

export interface InvalidationTarget {
  /** A promise resolves when every process behind the inner port has applied the message. */
  apply(message: InvalidationMessage): void | Promise<void>
}

/** Responds when the message is applied: the publisher waits for it before an action responds. */
export function createInvalidationRoute(target: InvalidationTarget): InnerRoute {
  return {
    method: 'POST',
    path: INVALIDATION_PATH,
    async handler(body, _request, response) {
      const message = parseInvalidation(body)
      if (typeof message === 'string') return sendError(response, 'data', { code: 'bad-request', message })
      await target.apply(message)
      sendJson(response, 200, {})
    },
  }
}
