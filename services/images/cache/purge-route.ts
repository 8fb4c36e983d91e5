// The inner endpoint that purges variants (I9): POST /internal/purge {source}, {prefix}, {tag} or {everything: true}.

import { sendError } from '@portico/shared/kit/http/error-response.ts'
import { type InnerRoute, sendJson } from '@portico/shared/kit/life/inner-port.ts'
import type { Log } from '@portico/shared/kit/observe/log.ts'
import { normaliseLocal, normaliseRemote, spellPath } from '../source/source-url.ts'
import { isPurgeKind, type PurgeTarget } from './purge-rules.ts'
import type { Purges } from './purges.ts'

/**
 * Responds 200 `{"generation": n, "replicas": n}` when all connected replicas were notified, 503 when the store rejected
 * the purge.
 */
export function createPurgeRoute(purges: Purges, basePath: string, log: Log): InnerRoute {
  return {
    method: 'POST',
    path: '/internal/purge',
    bodyLimitBytes: 16_384,
    async handler(body, _request, response) {
      const target = parsePurgeBody(body, basePath)
      if ('rule' in target) return sendError(response, 'data', { code: 'bad-request', message: target.rule })
      try {
        const { generation, replicas } = await purges.purge(target)
        log.info({ event: 'purge', kind: target.kind, generation }, 'purged')
        sendJson(response, 200, { generation, replicas })
      } catch (error) {
        log.error({ event: 'purge', error }, 'purge not published')
        sendError(response, 'data', { code: 'purge-failed' })
      }
    },
  }
}

/** Sources that may not be requested may still be purged. */
const isAny = () => true

/** Every source begins with it. */
const ALL_SOURCES: PurgeTarget = { kind: 'prefix', value: '' }

/** Accepts exactly one of the four members; normalises a source as for the cache. */
export function parsePurgeBody(body: unknown, basePath: string): PurgeTarget | { rule: string } {
  const members = typeof body === 'object' && body !== null ? Object.entries(body) : []
  const [kind, value] = members[0] ?? []
  if (members.length === 1 && kind === 'everything')
    return value === true ? ALL_SOURCES : { rule: 'everything must be true' }
  if (members.length !== 1 || !isPurgeKind(kind))
    return { rule: 'the body must be a JSON object with exactly one of source, prefix, tag and everything' }
  if (typeof value !== 'string' || value === '' || value.length > 3072)
    return { rule: `${kind} must be a text of 1 to 3072 characters` }
  if (kind === 'tag') return { kind, value }
  if (kind === 'prefix') {
    if (/^\/(?!\/)/.test(value)) return { kind, value: spellPath(new URL(value, 'http://site.invalid').pathname) }
    return URL.canParse(value) ? { kind, value: new URL(value).href } : { rule: 'prefix must begin with / or be a URL' }
  }
  const source = value.startsWith('/') ? normaliseLocal(value, basePath, isAny) : normaliseRemote(value)
  if ('rule' in source) return { rule: `source ${source.rule}` }
  return { kind, value: typeof source.url === 'string' ? source.url : source.url.href }
}
