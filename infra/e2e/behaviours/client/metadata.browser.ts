// What pages say of themselves to others, how a image travels from a grid to its place, at the origin that
// its operator named.

import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hydrated, openPage } from '../../harness/chromium.ts'
import { type EmbeddedStack, startEmbedded } from '../../harness/embedded-stack.ts'
import { send, unescapeHtml } from '../../harness/http.ts'
import { connectChromium } from '../../harness/shared.ts'
import { ATLAS } from '../../sites/sites.ts'
import { loadSamplePages } from './journeys/sample-pages.ts'

const ORIGIN = 'https://atlas.example'
const HIDDEN = ['/search', '/docs/search', '/nope']

let stack: EmbeddedStack
let browser: Browser

beforeAll(async () => {
  stack = await startEmbedded({ appDir: ATLAS.appDir, env: { PUBLIC_ORIGINS: ORIGIN } })
  browser = await connectChromium()
}, 900_000)

afterAll(async () => {
  await browser?.close()
  await stack?.stop()
})

const get = (path: string, headers: Record<string, string> = {}) => send(stack.baseUrl, path, { headers })

function metaOf(html: string, name: string): string | undefined {
  const found = new RegExp(`<meta (?:name|property)="${name}" content="([^"]*)"`).exec(html)?.[1]
  return found === undefined ? undefined : unescapeHtml(found)
}

const addressesOf = (text: string) =>
  [...text.matchAll(/<loc>(.*?)<\/loc>/g)].map((match) => unescapeHtml(match[1] ?? ''))

const loadPages = () => loadSamplePages(stack.baseUrl, ATLAS.appDir)

describe('metadata', () => {
  test('R1 gives every page a title and its own description, and absolute addresses', async () => {
    const titles = new Map<string, string>()
    for (const path of await loadPages()) {
      const { pathname } = new URL(path, ORIGIN)
      if (pathname === '/nope' || path.includes('?')) continue
      const { text } = await get(path)
      const title = /<title>([^<]+)<\/title>/.exec(text)?.[1] ?? ''
      expect(titles.get(title), `${path} is called ${title}`).toBeUndefined()
      titles.set(title, path)
      expect(metaOf(text, 'description')?.length, path).toBeGreaterThan(20)
      expect(metaOf(text, 'og:title'), path).toBe(unescapeHtml(title))
      expect(metaOf(text, 'og:url'), path).toBe(ORIGIN + path)
      expect(metaOf(text, 'og:image'), path).toMatch(/^https:\/\/atlas\.example\/_portico\/image\?url=/)
      expect(text.includes(`<link rel="canonical" href="${ORIGIN}${path}"`), path).toBe(!HIDDEN.includes(pathname))
    }
    expect(titles.size).toBeGreaterThan(8)
  })

  test('I2 makes the shared image of a place in the image service, as every reader of links takes it', async () => {
    const { text } = await get('/places/skarnvik')
    const url = new URL(metaOf(text, 'og:image') ?? '')
    expect(url.searchParams.get('url')).toMatch(/^\/landscapes\/skarnvik-/)
    const image = await get(url.pathname + url.search, { accept: '*/*' })
    expect([image.status, image.headers['content-type']]).toEqual([200, 'image/jpeg'])
    expect([metaOf(text, 'og:image:width'), metaOf(text, 'og:image:height')]).toEqual(['1200', '750'])
  })

  test('R1 names every page worth finding in the sitemap, and each is served', async () => {
    const response = await get('/sitemap.xml')
    expect(response.headers['content-type']).toBe('application/xml; charset=utf-8')
    const addresses = addressesOf(response.text)
    const paths = addresses.map((address) => new URL(address).pathname)
    expect(addresses.every((address) => address.startsWith(`${ORIGIN}/`))).toBe(true)
    for (const path of await loadPages()) {
      const { pathname } = new URL(path, ORIGIN)
      if (!HIDDEN.includes(pathname)) expect(paths).toContain(pathname)
    }
    const statuses = await Promise.all(paths.map(async (path) => (await get(path)).status))
    expect(new Set(statuses)).toEqual(new Set([200]))
  })

  test('R1 says to robots where the sitemap is, and to phones what the site is called', async () => {
    const robots = await get('/robots.txt')
    expect(robots.headers['content-type']).toBe('text/plain; charset=utf-8')
    expect(robots.text).toContain(`Sitemap: ${ORIGIN}/sitemap.xml`)
    const manifest = await get('/manifest.webmanifest')
    expect(manifest.headers['content-type']).toMatch(/^application\/manifest\+json/)
    const { name, icons } = JSON.parse(manifest.text) as { name: string; icons: { src: string; type: string }[] }
    expect(name).toContain('Atlas')
    for (const { src, type } of icons) expect((await get(src)).headers['content-type']).toContain(type)
  })
})

/** Pseudo-elements that were animated by each view transition of the page. */
async function watchTransitions(page: Page): Promise<() => Promise<string[][]>> {
  await page.addInitScript(() => {
    const seen: string[][] = []
    Object.assign(globalThis, { seen })
    const start = document.startViewTransition.bind(document)
    document.startViewTransition = (options) => {
      const transition = start(options)
      void transition.ready.then(() => {
        const pseudo = (animation: Animation) =>
          animation.effect instanceof KeyframeEffect ? (animation.effect.pseudoElement ?? '') : ''
        seen.push(document.getAnimations().map(pseudo))
      })
      return transition
    }
  })
  return () => page.evaluate(() => (globalThis as unknown as { seen: string[][] }).seen)
}

describe('view transitions', () => {
  const group = '::view-transition-group(plate-skarnvik)'

  async function visit(reducedMotion: 'no-preference' | 'reduce') {
    const watched = await openPage(browser, { reducedMotion, viewport: { width: 1200, height: 900 } })
    const transitions = await watchTransitions(watched.page)
    await watched.page.goto(`${stack.baseUrl}/collections/north`)
    await hydrated(watched.page, 'main')
    await watched.page.click('main a[href="/places/skarnvik"]')
    await watched.page.locator('h1', { hasText: 'Skarnvik' }).waitFor()
    return { ...watched, transitions }
  }

  test('N3 moves the image from the grid to its place and back, and the page stays at its top', async () => {
    const { page, transitions, documents, faults, close } = await visit('no-preference')
    await expect.poll(transitions).toEqual([expect.arrayContaining([group])])
    await expect.poll(() => page.evaluate(() => scrollY)).toBe(0)
    await page.goBack()
    await page.locator('h1', { hasText: 'The North' }).waitFor()
    await expect.poll(transitions).toEqual([expect.anything(), expect.arrayContaining([group])])
    expect(documents).toHaveLength(1)
    expect(faults).toEqual([])
    await close()
  })

  test('N3 changes the page immediately for clients that prefer less motion', async () => {
    const { transitions, faults, close } = await visit('reduce')
    // React itself switches off what it does not need; nothing of that can be seen.
    await expect.poll(async () => (await transitions()).length).toBe(1)
    expect((await transitions()).flat().filter((name) => /plate-|-(old|new)\(/.test(name))).toEqual([])
    expect(faults).toEqual([])
    await close()
  })
})
