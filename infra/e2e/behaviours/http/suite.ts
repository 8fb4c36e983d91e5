// The behaviour of every kind of stack with every app folder: one list of tests over HTTP.

import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import { NOT_FOUND_TEXT } from '@portico/shared/wire/errors/error-titles.ts'
import { parsePageData } from '@portico/shared/wire/page-data.ts'
import { dataUrl, imageUrl, staticUrl } from '@portico/shared/wire/routing/urls.ts'
import { describe, expect, test } from 'vitest'
import { cookiesOf, postForm, type RawResponse, send, unescapeHtml } from '../../harness/http.ts'
import type { SiteDescription } from '../../sites/sites.ts'

const DECODERS = [
  ['br', brotliDecompressSync],
  ['zstd', zstdDecompressSync],
  ['gzip', gunzipSync],
] as const

export interface Target {
  /** Known only once the stack runs. */
  baseUrl: () => string
  site: SiteDescription
  /** `npm run dev`: modules instead of hashed files. */
  isDevelopment?: boolean
}

/** Registers the suite's tests; `where` names the way of running in their titles. */
export function describeSite(where: string, { baseUrl, site, isDevelopment = false }: Target): void {
  const get = (target: string, headers: Record<string, string> = {}) => send(baseUrl(), target, { headers })
  const buildId = async () => String((await get(site.home.path)).headers['portico-build'])

  describe(`${site.name} ${where}: pages`, () => {
    test('R1 serves the home page rendered on the server, with its title and content', async () => {
      const response = await get(site.home.path)
      expect(response.status).toBe(200)
      expect(response.headers['content-type']).toMatch(/^text\/html/)
      expect(response.text).toMatch(/^<!doctype html>/i)
      expect(response.text).toContain(site.home.text)
      expect(response.text).toMatch(new RegExp(`<title>[^<]*${site.title}`))
      expect(response.text).toContain(`href="${site.detail.path}"`)
      expect(response.headers['portico-build']).toMatch(/^[A-Za-z0-9_-]{8,}$/)
    })

    test('C6 C7 serves the home page from the memory of the gateway, each form with its own tag', async () => {
      const verdict = async () => (await get(site.home.path)).headers['x-portico-cache']
      // Under development a page changes without a mark.
      if (isDevelopment) return expect(await verdict()).toBeUndefined()
      await expect.poll(verdict).toBe('HIT')
      for (const [encoding, decode] of DECODERS) {
        const form = await get(site.home.path, { 'accept-encoding': encoding })
        expect(decode(form.body).toString()).toContain(site.home.text)
        expect(form.headers).toMatchObject({
          'content-encoding': encoding,
          etag: expect.stringMatching(new RegExp(`^W/"[^"~]+~${encoding}"$`)),
          age: expect.stringMatching(/^\d+$/),
        })
        expect((await get(site.home.path, { 'if-none-match': form.headers.etag! })).status).toBe(304)
      }
    })

    test('R1 serves a page of a dynamic route', async () => {
      const response = await get(site.detail.path)
      expect(response.status).toBe(200)
      expect(response.text).toContain(site.detail.text)
    })

    test('D1 serves the page data of that page under the build id', async () => {
      const response = await get(dataUrl('', await buildId(), site.detail.path))
      expect(response.status).toBe(200)
      expect(response.headers['content-type']).toMatch(/^application\/json/)
      const data = parsePageData(JSON.parse(response.text))
      expect(data).toMatchObject({ kind: 'page', route: site.detail.route })
    })

    test('W2 responds to page data of a foreign build with foreign-build, never stored', async () => {
      const response = await get(dataUrl('', 'nosuchbuild0', site.detail.path))
      expect(response.status).toBe(404)
      expect(JSON.parse(response.text)).toEqual({ kind: 'foreign-build' })
      expect(response.headers['cache-control']).toContain('no-store')
    })

    test('E1 responds to an unknown path with the not-found screen', async () => {
      const response = await get('/nope')
      expect(response.status).toBe(404)
      expect(response.headers['content-type']).toMatch(/^text\/html/)
      expect(response.text).toContain(`<title>404: ${NOT_FOUND_TEXT}</title>`)
      expect(response.text).toContain(NOT_FOUND_TEXT)
    })

    test('G6 HEAD sends the headers of GET without a body', async () => {
      const response = await send(baseUrl(), site.home.path, { method: 'HEAD' })
      expect(response.status).toBe(200)
      expect(response.body.length).toBe(0)
      expect(response.headers['x-content-type-options']).toBe('nosniff')
    })
  })

  describe(`${site.name} ${where}: paths`, () => {
    test.each([
      [`${'/about'}/`, '/about'],
      ['//about?x=1', '/about?x=1'],
      ['/./about', '/about'],
      ['/\\about', '/about'],
      ['//evil.example/', '/evil.example'],
    ])('R6 sends %s to %s', async (target, location) => {
      const response = await get(target)
      expect(response.status).toBe(308)
      expect(response.headers.location).toBe(location)
    })

    test('R6 responds with 400 to a post to a path that is not canonical', async () => {
      const response = await send(baseUrl(), '/about/', { method: 'POST', headers: { 'content-length': '0' } })
      expect(response.status).toBe(400)
    })

    test.each(['/%zz', '/%00', `${site.detail.path}%E0%A4`])(
      'R3 responds with 400 to the malformed path %s',
      async (target) => {
        expect((await get(target)).status).toBe(400)
      },
    )

    test('E6 responds with 405 and Allow to a post to a page without an action id', async () => {
      const response = await send(baseUrl(), site.home.path, {
        method: 'POST',
        headers: {
          origin: new URL(baseUrl()).origin,
          'sec-fetch-site': 'same-origin',
          'content-type': 'application/x-www-form-urlencoded',
          'content-length': '3',
        },
        body: 'a=b',
      })
      expect(response.status).toBe(405)
      expect(response.headers.allow).toBe('GET, HEAD')
    })
  })

  describe(`${site.name} ${where}: images`, () => {
    const findImage = async () => {
      const pages = await Promise.all([get(site.home.path), get(site.detail.path)])
      const source = /\/_portico\/image\?url=([^&"\s]+)/.exec(
        unescapeHtml(pages.map((page) => page.text).join('')),
      )?.[1]
      expect(source, 'an optimised image on the home or the detail page').toBeDefined()
      return decodeURIComponent(source ?? '')
    }

    test.each([
      ['image/avif,image/webp,*/*;q=0.8', 'image/avif', /^....ftypavi[fs]/s],
      ['image/webp,*/*;q=0.8', 'image/webp', /^RIFF....WEBP/s],
      ['image/jpeg', 'image/jpeg', /^\xff\xd8\xff/],
    ])('I2 serves an image for Accept: %s as %s', async (accept, type, magic) => {
      const response = await get(imageUrl('', await findImage(), 640, 75), { accept })
      expect(response.status, response.text.slice(0, 200)).toBe(200)
      expect(response.headers['content-type']).toBe(type)
      expect(response.body.toString('latin1')).toMatch(magic)
      expect(response.headers.vary?.toLowerCase()).toContain('accept')
      expect(response.headers['x-content-type-options']).toBe('nosniff')
    })

    test('I5 serves the same image from the cache and 304 for its ETag', async () => {
      const url = imageUrl('', await findImage(), 750, 75)
      const headers = { accept: 'image/webp' }
      await expect.poll(async () => (await get(url, headers)).headers['x-portico-cache']).toBe('HIT')
      const etag = (await get(url, headers)).headers.etag ?? ''
      expect(etag).toMatch(/^"[^"]+"$/)
      expect((await get(url, { ...headers, 'if-none-match': etag })).status).toBe(304)
    })

    test('I1 responds with 400 naming parameter and value when the width is not in the list', async () => {
      const response = await get(imageUrl('', await findImage(), 641, 75))
      expect(response.status).toBe(400)
      expect(response.text).toContain('641')
    })

    test('I1 responds with 400 to a host that no remote pattern allows', async () => {
      expect((await get(imageUrl('', 'http://169.254.169.254/latest', 640, 75))).status).toBe(400)
    })
  })

  describe(`${site.name} ${where}: actions`, () => {
    const shows = async (path: string, text: string, from: RawResponse) =>
      (await get(path, cookiesOf(from) as Record<string, string>)).text.includes(text)

    for (const form of site.forms) {
      test(`A1 takes the form of ${form.path} without JavaScript and shows what it stored`, async () => {
        const unique = `e2e-${Math.random().toString(36).slice(2, 10)}`
        const response = await postForm({ baseUrl: baseUrl(), path: form.path, fields: form.fields(unique) })
        expect(response.status, response.text.slice(0, 300)).toBe(form.status)
        if (response.status === 200) expect(response.text).toContain(unique)
        // As browsers do: the hash stays with them.
        const location = response.status === 303 ? (response.headers.location ?? '').replace(/#.*/, '') : form.path
        // The client of a write sees the write immediately (D6).
        expect(await shows(location, unique, response)).toBe(true)
      })

      test(`A4 refuses the form of ${form.path} when another site posts it`, async () => {
        const unique = `evil-${Math.random().toString(36).slice(2, 10)}`
        const response = await postForm({
          baseUrl: baseUrl(),
          path: form.path,
          fields: form.fields(unique),
          headers: { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
        })
        expect(response.status).toBe(403)
        expect(await shows(form.path, unique, response)).toBe(false)
      })

      const { refused } = form
      if (refused)
        test(`A3 responds with 422 and the page of ${form.path} and a message when the input is refused`, async () => {
          const response = await postForm({ baseUrl: baseUrl(), path: form.path, fields: refused.fields })
          expect(response.status).toBe(422)
          expect(response.text).toContain(refused.text)
        })
    }

    test('A8 serves the JSON of an API handler', async () => {
      const response = await get(site.api.path)
      expect(response.status).toBe(200)
      expect(response.headers['content-type']).toMatch(/^application\/json/)
      expect(JSON.parse(response.text)).toHaveProperty(site.api.member)
    })

    test('A8 responds with 404 as JSON to an unknown API path', async () => {
      const response = await get('/api/nope')
      expect(response.status).toBe(404)
      expect(JSON.parse(response.text)).toMatchObject({ error: { status: 404 } })
    })
  })

  describe(`${site.name} ${where}: files and borders`, () => {
    // Nothing is hashed in development.
    if (!isDevelopment)
      test('G3 serves the scripts of a page as immutable files', async () => {
        const page = await get(site.home.path)
        const scripts = [...page.text.matchAll(/(?:src|href)="(\/_portico\/static\/[^"]+\.js)"/g)].map(
          (match) => match[1] ?? '',
        )
        expect(scripts.length).toBeGreaterThan(0)
        const responses = await Promise.all(scripts.map((script) => get(script, { 'accept-encoding': 'br' })))
        for (const { status, headers } of responses) {
          expect(status).toBe(200)
          expect(headers['cache-control']).toBe('public, max-age=31536000, immutable')
          expect(headers['content-type']).toMatch(/^text\/javascript/)
          expect(headers.etag).toMatch(/^"[^"]+"$/)
        }
        // Compressed at build, where that is smaller: react-dom always is.
        expect(responses.some(({ headers }) => headers['content-encoding'] === 'br')).toBe(true)
      })

    test('G3 responds to a missing file with 404 as text, never stored', async () => {
      const response = await get(staticUrl('', 'nope-0123456789.js'))
      expect(response.status).toBe(404)
      expect(response.headers['content-type']).toMatch(/^text\/plain/)
      expect(response.headers['cache-control']).toContain('no-store')
    })

    test('G1 lets no internal header out and believes none from outside', async () => {
      const sent = { 'portico-internal-route': '/forged', 'portico-internal-digest': 'feedfeed00' }
      for (const target of [site.home.path, site.detail.path, site.api.path, '/nope']) {
        const { headers, text } = await get(target, sent)
        expect(Object.keys(headers).filter((name) => name.startsWith('portico-internal-'))).toEqual([])
        expect(text).not.toContain('feedfeed00')
      }
    })

    test.each(['/readyz', '/livez', '/metrics', '/internal/render', '/internal/entry', '/internal/invalidate'])(
      'O9 does not publish %s',
      async (target) => {
        expect((await get(target)).status).toBe(404)
      },
    )
  })
}
