// What a handler sends, and what becomes of its errors.

import { expect } from 'vitest'
import type { Behaviour, HttpSite } from '../harness/behaviour.ts'

const AT = '/api/api-support'
const JSON_TYPE = 'application/json; charset=utf-8'

/** A line of the log about a response that is longer than the limit of its handler. */
const warning = (site: HttpSite, handler: string) =>
  site.log().find((line) => /API response/.test(line) && new RegExp(`${AT}/${handler}(?![-\\w])`).test(line))

/** How long a line of the log may take. */
const LOG = { timeout: 5000 }

async function expectLarge(site: HttpSite, handler: string, bytes: number): Promise<void> {
  const response = await site.fetch(`${AT}/${handler}`)
  expect(response.status).toBe(200)
  expect((await response.arrayBuffer()).byteLength).toBe(bytes)
}

/** A handler that throws an error in some way. */
function fails(number: number, does: string, handler: string): Behaviour {
  const run = async (site: HttpSite) => {
    const response = await site.fetch(`${AT}/${handler}`)
    expect(response.status).toBe(500)
    return response.text()
  }
  return {
    id: `api-support-${number}`,
    does,
    via: 'http',
    run: async (site) => expect(await run(site)).toBe('Internal Server Error'),
    differs: {
      reason: 'responses of errors below /api are JSON, with the digest that the log has',
      async run(site) {
        const text = await run(site)
        expect(JSON.parse(text)).toMatchObject({ error: { digest: expect.any(String) } })
        expect(text).not.toContain('drawer')
      },
    },
  }
}

/** A redirect whose arguments are wrong. */
function refuses(number: number, does: string, by: string): Behaviour {
  return {
    id: `api-support-${number}`,
    does,
    via: 'http',
    async run(site) {
      const before = site.log().length
      expect((await site.fetch(`${AT}/redirect?by=${by}`)).status).toBe(500)
      await expect.poll(() => site.log().slice(before).join('\n'), LOG).toContain('res.redirect(')
    },
  }
}

export const responses: readonly Behaviour[] = [
  {
    id: 'api-support-3',
    does: 'sends 204 without a body and without headers of one, also where the handler sends a body',
    via: 'http',
    async run(site) {
      for (const path of ['/nothing', '/nothing?body=1']) {
        const response = await site.fetch(AT + path)
        expect(response.status).toBe(204)
        for (const name of ['content-type', 'content-length', 'transfer-encoding'])
          expect(response.headers.get(name), `${name} of ${path}`).toBe(null)
      }
    },
  },
  {
    id: 'api-support-7',
    does: 'leaves a preflight to the code of the handler',
    via: 'http',
    async run(site) {
      const response = await site.fetch(`${AT}/shared`, { method: 'OPTIONS', headers: { origin: 'https://a.example' } })
      expect(response.status).toBe(204)
      expect(response.headers.get('access-control-allow-methods')).toBe('GET,POST,OPTIONS')
    },
  },
  {
    id: 'api-support-9',
    does: 'sends an error that the handler writes',
    via: 'http',
    async run(site) {
      const response = await site.fetch(`${AT}/closed`)
      expect(response.status).toBe(500)
      expect(await response.json()).toEqual({ reason: 'closed' })
    },
  },
  fails(10, 'responds with 500 where a handler throws, and hides the error', 'throws'),
  fails(11, 'responds with 500 where a handler rejects, and hides the error', 'rejects'),
  ...(
    [
      [14, 'true', 'true'],
      [15, 'undefined', ''],
      [16, 'text', '"by air"'],
      [17, 'null', 'null'],
    ] as const
  ).map(
    ([number, value, expected]): Behaviour => ({
      id: `api-support-${number}`,
      does: `sends ${value} as JSON`,
      via: 'http',
      async run(site) {
        const response = await site.fetch(`${AT}/value?of=${value}`)
        expect(response.status).toBe(200)
        expect(response.headers.get('content-type')).toBe(JSON_TYPE)
        expect(await response.text()).toBe(expected)
      },
    }),
  ),
  {
    id: 'api-support-21',
    does: 'responds with 304 to a request that has the entity tag of the response',
    via: 'http',
    async run(site) {
      const tag = (await site.fetch(`${AT}/stamps`)).headers.get('etag')
      expect(tag).toBeTruthy()
      // Without a rule for caches the client would add no-cache, as for a reload.
      const init = { headers: { 'if-none-match': String(tag), 'cache-control': 'max-age=0' } }
      expect((await site.fetch(`${AT}/stamps`, init)).status).toBe(304)
    },
  },
  refuses(25, 'responds with 500 to a redirect without a location, and names the call in the log', 'none'),
  refuses(26, 'responds with 500 to a redirect to null, and names the call in the log', 'null'),
  ...(
    [
      [27, 307, 'default'],
      [29, 301, '301'],
    ] as const
  ).map(
    ([number, status, by]): Behaviour => ({
      id: `api-support-${number}`,
      does: `redirects with ${status}, and has the address in the body, too`,
      via: 'http',
      async run(site) {
        const response = await site.fetch(`${AT}/redirect?by=${by}`)
        expect(response.status).toBe(status)
        expect(response.headers.get('location')).toBe('/api-support/office')
        expect(await response.text()).toBe('/api-support/office')
      },
    }),
  ),
  {
    id: 'api-support-28',
    does: 'leads a client to the page of a redirect',
    via: 'http',
    async run(site) {
      const response = await site.fetch(`${AT}/redirect?by=default`, { redirect: 'follow' })
      expect(response.url).toBe(`${site.origin}/api-support/office`)
      expect(response.status).toBe(200)
    },
  },
  {
    id: 'api-support-43',
    does: 'lets a handler run a program',
    via: 'http',
    async run(site) {
      expect(await site.text(`${AT}/process`)).toBe('weighed')
    },
  },
  {
    id: 'api-support-44',
    does: 'sends a response without content whose handler writes an empty text',
    via: 'http',
    async run(site) {
      expect(await site.text(`${AT}/empty`)).toBe('')
    },
  },
  {
    id: 'api-support-45',
    does: 'sends more than 4 MB at a time and in pieces, and warns in the log',
    via: 'http',
    async run(site) {
      await expectLarge(site, 'large', 4 * 1024 * 1024 + 1)
      await expectLarge(site, 'large-pieces', 65 * 64 * 1024)
      for (const handler of ['large', 'large-pieces'])
        await expect.poll(() => warning(site, handler), LOG).toMatch(/4 ?MB|4194304/)
    },
  },
  {
    id: 'api-support-46',
    does: 'does not warn where the handler has no limit',
    via: 'http',
    async run(site) {
      await expectLarge(site, 'large-unlimited', 4 * 1024 * 1024 + 1)
      // The log is written in the order of the requests.
      await expectLarge(site, 'large', 4 * 1024 * 1024 + 1)
      await expect.poll(() => warning(site, 'large'), LOG).toBeTruthy()
      expect(warning(site, 'large-unlimited')).toBe(undefined)
    },
  },
  {
    id: 'api-support-47',
    does: 'warns with the limit of the handler',
    via: 'http',
    async run(site) {
      await expectLarge(site, 'large-limited', 6 * 1024 * 1024)
      await expect.poll(() => warning(site, 'large-limited'), LOG).toMatch(/5 ?MB|5242880/)
    },
  },
]
