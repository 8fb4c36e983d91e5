// The inner port's end of the invalidation feed (W10).

import { INVALIDATION_PATH, parseInvalidation } from '../../wire/invalidation.ts'
import { sendError } from '../http/error-response.ts'
import { type InnerRoute, sendJson } from '../life/inner-port.ts'
import type { Feed } from './feed.ts'

/** Responds when the message is applied: the publisher waits for it before an action responds. */
export function createInvalidationRoute(feed: Pick<Feed, 'apply'>): InnerRoute {
  return {
    method: 'POST',
    path: INVALIDATION_PATH,
    async handler(body, _request, response) {
      const message = parseInvalidation(body)
      if (typeof message === 'string') return sendError(response, 'data', { code: 'bad-request', message })
      feed.apply(message)
      sendJson(response, 200, {})
    },
  }
}
