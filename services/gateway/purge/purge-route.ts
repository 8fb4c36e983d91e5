// The inner endpoint that purges pages and data of cached() (C6, O9): POST /internal/purge {paths, tags, everything}.

import { sendError } from '@portico/shared/kit/http/error-response.ts'
import { type InnerRoute, sendJson } from '@portico/shared/kit/life/inner-port.ts'
import type { Log } from '@portico/shared/kit/observe/log.ts'
import type { Changes } from './open-changes.ts'
import { parsePurgeBody } from './purge-body.ts'

/**
 * Responds 200 `{"generation": n, "processes": {"renderer": {"confirmed": n, "failed": n}, …}}` when every process has
 * confirmed the purge or has had its time, and with generation 0 when the state store is unavailable and only messages
 * reached the processes; 503 when neither the store nor a process took the purge.
 */
export function createPurgeRoute(changes: Pick<Changes, 'publish'>, log: Log): InnerRoute {
  return {
    method: 'POST',
    path: '/internal/purge',
    async handler(body, _request, response) {
      const change = parsePurgeBody(body)
      if ('rule' in change) return sendError(response, 'data', { code: 'bad-request', message: change.rule })
      const { paths, tags, everything } = change
      const fields = { event: 'purge', paths: paths.length, tags: tags.length, everything }
      try {
        const { generation, processes } = await changes.publish(change)
        log.info({ ...fields, generation }, 'purged')
        sendJson(response, 200, { generation, processes })
      } catch (error) {
        log.error({ ...fields, error }, 'purge not published')
        sendError(response, 'data', { code: 'purge-failed' })
      }
    },
  }
}
