// What several behaviours of this suite expect.

import { request } from 'node:http'
import { expect } from 'vitest'
import type { HttpSite } from '../../harness/behaviour.ts'

export const AT = '/custom-routes'

/** The response is a redirect, whose location is read as a URL. */
export async function redirectOf(site: HttpSite, path: string, init?: Given) {
  const { status, headers } = await fetchAs(site, path, init)
  const location = headers.get('location')
  expect(location, `status ${status} of ${path}`).not.toBeNull()
  const url = new URL(location ?? '', site.origin)
  return { status, url, path: url.pathname.replace(AT, ''), query: Object.fromEntries(url.searchParams) }
}

/** The query of the page that responds. */
export async function queryOf(site: HttpSite, path: string, init?: Given) {
  const response = await fetchAs(site, path, init)
  expect(response.status).toBe(200)
  const html = await response.text()
  const json = /<pre id="state">([\s\S]*?)<\/pre>/.exec(html)?.[1]?.replaceAll('&quot;', '"')
  return (JSON.parse(json ?? 'null') as { query: unknown }).query
}

export async function statusOf(site: HttpSite, path: string, init?: Given): Promise<number> {
  return (await fetchAs(site, path, init)).status
}

/** What a request has in addition. */
export interface Given {
  headers?: Record<string, string>
}

/** As `site.fetch`, also with a header `host`, which `fetch` replaces by that of the URL. */
export function fetchAs(site: HttpSite, path: string, { headers = {} }: Given = {}): Promise<Response> {
  if (!headers.host) return site.fetch(AT + path, { headers })
  return new Promise((resolve, reject) => {
    request(site.origin + AT + path, { headers })
      .on('response', async (response) => {
        const entries = Object.entries(response.headers).map(([name, value]) => [name, String(value)])
        const body = Buffer.concat(await response.toArray())
        resolve(new Response(body, { status: response.statusCode ?? 0, headers: Object.fromEntries(entries) }))
      })
      .on('error', reject)
      .end()
  })
}
