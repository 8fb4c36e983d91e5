// The gateway's requests for entries of its page cache (W8), on the inner port.

import { sendError } from '@portico/shared/kit/http/error-response.ts'
import { requestIdOf } from '@portico/shared/kit/http/request-id.ts'
import { type InnerRoute, sendJson } from '@portico/shared/kit/life/inner-port.ts'
import { ENTRY_PATH, ENTRY_TYPE, PATHS_PATH, parseEntryQuery } from '@portico/shared/wire/page-entry.ts'
import { splitTarget } from '@portico/shared/wire/routing/urls.ts'
import type { Entries } from './entries.ts'

export function createEntryRoutes(entries: Entries): InnerRoute[] {
  return [
    {
      method: 'GET',
      path: ENTRY_PATH,
      async handler(_body, request, response) {
        const refuse = (message: string) => sendError(response, 'data', { code: 'bad-request', message })
        const parsed = parseEntryQuery(splitTarget(request.url ?? '').search)
        if (typeof parsed === 'string') return refuse(parsed)
        const page = entries.pageOf(parsed)
        if (page === 'unknown-page') return sendError(response, 'data', { code: 'not-found' })
        if (page === 'wrong-params') return refuse('params: must fit the route')
        const bytes = await entries.entryOf(page, parsed, requestIdOf(request))
        response.writeHead(200, {
          'content-type': ENTRY_TYPE,
          'content-length': bytes.length,
          'cache-control': 'no-store',
        })
        response.end(bytes)
      },
    },
    {
      method: 'GET',
      path: PATHS_PATH,
      async handler(_body, _request, response) {
        sendJson(response, 200, await entries.knownPaths())
      },
    },
  ]
}
