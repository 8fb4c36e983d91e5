// The requests of one browser, as a service runs them: with real seals, and without HTTP.

import { createCookieSeals } from '@portico/shared/kit/cookies/cookie-seal.ts'
import { readClientCookies } from '@portico/shared/kit/cookies/draft-cookies.ts'
import { createLog } from '@portico/shared/kit/observe/log.ts'
import { createFixedKeyring } from '@portico/shared/kit/secrets/keyring.ts'
import type { RequestContext } from '@portico/shared/wire/bundles.ts'
import { runWithContext } from '../request-context.ts'

export const KEY = 'k'.repeat(40)

interface Site {
  origin?: string
  basePath?: string
  keys?: string[]
}

/** A browser that keeps cookies of one host, with what the last response has set. */
export function createBrowser({ origin = 'http://localhost:8080', basePath = '', keys = [KEY] }: Site = {}) {
  const jar = new Map<string, string>()
  const lines: Record<string, unknown>[] = []
  const log = createLog('actions', 'info', { write: (line) => void lines.push(JSON.parse(line)) })
  const sent: string[] = []
  const uses: string[] = []
  const request = async <T>(run: () => T, site: Site & Partial<RequestContext> = {}): Promise<Awaited<T>> => {
    const { keys: secrets = keys, basePath: base = basePath, ...more } = site
    const seals = createCookieSeals({ keyring: createFixedKeyring(secrets), now: () => Date.now(), log })
    const seal = seals({ origin: site.origin ?? origin, basePath: base, requestId: 'r' })
    const header = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
    const context: RequestContext = {
      ...{ kind: 'page', name: '/test', requestId: 'r', url: '/test', origin, headers: {} },
      ...{ signal: new AbortController().signal, fetchSite: fetch, setCookies: [] },
      ...readClientCookies(header, seal),
      onSession: (use) => void uses.push(use),
      ...more,
    }
    const result = await runWithContext(context, run)
    sent.splice(0, sent.length, ...context.setCookies)
    for (const line of sent) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (/Max-Age=0|Expires=Thu, 01 Jan 1970/.test(line)) jar.delete(name)
      else jar.set(name, value)
    }
    return result
  }
  return { jar, lines, sent, uses, request }
}
