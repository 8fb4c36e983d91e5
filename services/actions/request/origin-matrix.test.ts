// Every combination of origin headers, through the port: pages and API handlers, with and without cookies (A4).

import { Agent, request } from 'node:http'
import { runs } from '@portico/shared/kit/testing/runs.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startActions, type TestActions } from '../testing/start-actions.ts'

const SITE = 'https://site.test:8443'
/** Name, Origin, and whether the Origin is the site. */
const ORIGINS: [string, string | undefined, 'own' | 'absent' | 'foreign' | 'malformed'][] = [
  ['the same', SITE, 'own'],
  ['none', undefined, 'absent'],
  ['null', 'null', 'foreign'],
  ['another host', 'https://evil.test:8443', 'foreign'],
  ['another port', 'https://site.test', 'foreign'],
  ['another scheme', 'http://site.test:8443', 'foreign'],
  ['no URL', 'site.test:8443/', 'malformed'],
  ['a path behind it', `${SITE}/`, 'malformed'],
  ['a user in front', 'https://site.test:8443@evil.test', 'malformed'],
  ['empty', '', 'malformed'],
  ['a list', `${SITE}, https://evil.test`, 'malformed'],
  ['a list with spaces', `${SITE} ${SITE}`, 'malformed'],
]
const FETCH_SITES = [undefined, 'same-origin', 'same-site', 'cross-site', 'none', 'SAME-ORIGIN', 'same-origin, none']
/** The first for `npm test`, all for `npm run test:long`. */
const METHODS = ['POST', 'PUT', 'PATCH', 'DELETE'].slice(0, runs(1, 4))
const BODIES: [string, string][] = [
  ['application/json', '{"args":[]}'],
  ['application/x-www-form-urlencoded', '$ACTION_ID_save='],
  [
    'multipart/form-data; boundary=B',
    '--B\r\ncontent-disposition: form-data; name="$ACTION_ID_save"\r\n\r\n\r\n--B--\r\n',
  ],
  ['text/plain', 'args'],
]

let service: TestActions
let calls = 0
const agent = new Agent({ keepAlive: true, maxSockets: 8 })

beforeAll(async () => {
  const count = () => void calls++
  service = await startActions({
    publicOrigins: [SITE],
    actions: { save: count },
    api: {
      '/api/x': {
        // The service calls the handler with its ApiResponse.
        default: (_request, response) => {
          count()
          ;(response as { json: (value: unknown) => void }).json({})
        },
      },
    },
  })
})
afterAll(async () => {
  agent.destroy()
  await service.stop()
})

function send(path: string, method: string, headers: Record<string, string>, body: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request({ agent, port: service.port, host: '127.0.0.1', path, method, headers }, (response) => {
      response.resume()
      response.on('end', () => resolve(response.statusCode ?? 0))
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

function passes(origin: (typeof ORIGINS)[number][2], fetchSite: string | undefined, hasCookies: boolean): boolean {
  if (origin === 'malformed') return false
  // The browser decides: a form of a page with `Referrer-Policy: no-referrer` sends `Origin: null`.
  if (fetchSite !== undefined) return fetchSite === 'same-origin'
  return origin === 'own' || (origin === 'absent' && !hasCookies)
}

describe.each(ORIGINS)('an Origin that is %s', (_name, origin, kind) => {
  it.each(METHODS)('A4 allows %s only from this site, with any other headers', async (method) => {
    for (const fetchSite of FETCH_SITES)
      for (const hasCookies of [true, false])
        for (const [type, body] of BODIES) {
          const headers: Record<string, string> = { 'content-type': type, 'content-length': String(body.length) }
          if (origin !== undefined) headers.origin = origin
          if (fetchSite !== undefined) headers['sec-fetch-site'] = fetchSite
          if (hasCookies) headers.cookie = 'session=1'
          const isOwn = passes(kind, fetchSite, hasCookies)
          const said = `${method} ${type} ${JSON.stringify(headers)}`

          calls = 0
          expect(await send('/api/x', method, headers, body), said).toBe(isOwn ? 200 : 403)
          expect(calls, said).toBe(isOwn ? 1 : 0)

          calls = 0
          // A separate page for each request, so that no response is that of a submission before it.
          const path = `/places/${encodeURIComponent(said).slice(0, 60).replaceAll('%', '-')}`
          const scripted = type === 'application/json' ? { 'portico-action': 'save' } : {}
          const status = await send(path, method, { ...headers, ...scripted }, body)
          if (method !== 'POST' || (isOwn && type === 'text/plain')) expect(status, said).toBe(405)
          else if (!isOwn) expect(status, said).toBe(403)
          else expect([200, 303], said).toContain(status)
          if (!isOwn || method !== 'POST') expect(calls, said).toBe(0)
        }
  })
})
