// Images that the site draws with next/og and its packages, which this folder installs (X1).

import { mkdir, symlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import type { WatchedPage } from '../../e2e/harness/chromium.ts'

/** The packages that the site would install. */
export async function linkDrawingPackages(dir: string): Promise<void> {
  for (const name of ['satori', '@resvg/resvg-js', '@fontsource/geist']) {
    const link = join(dir, 'node_modules', name)
    await mkdir(dirname(link), { recursive: true })
    await symlink(join(import.meta.dirname, '../node_modules', name), link)
  }
}

interface RunningSite {
  baseUrl: string
  watched: WatchedPage
}

/** The tests of a site that runs before each of them. */
export function testDrawnImages(site: () => RunningSite): void {
  const get = (path: string, init?: RequestInit) => fetch(site().baseUrl + path, init)
  /** Its size, and the number of its pixels with letters, as a browser decodes it. */
  const look = async (path: string) => {
    const { watched, baseUrl } = site()
    await watched.page.goto(`${baseUrl}/about`)
    return watched.page.evaluate(async (src) => {
      const bitmap = await createImageBitmap(await (await fetch(src)).blob())
      const { width, height } = bitmap
      const context = new OffscreenCanvas(width, height).getContext('2d')!
      context.drawImage(bitmap, 0, 0)
      const { data } = context.getImageData(0, 0, width, height)
      let inked = 0
      for (let at = 0; at < data.length; at += 4) if (data[at]! < 128 && data[at + 3]! > 128) inked++
      return { width, height, inked }
    }, path)
  }

  test('X1 next/og: a handler of the edge runtime returns an image, of the default size and with its headers', async () => {
    const response = await get('/api/card?title=Hi')
    const header = (name: string) => response.headers.get(name)
    expect([response.status, header('content-type'), header('cache-control'), header('x-drawn')]).toEqual([
      ...[200, 'image/png', 'public, max-age=0, must-revalidate', 'yes'],
    ])
    const card = await look('/api/card?title=Hi')
    expect(card).toMatchObject({ width: 1200, height: 630 })
    // Letters of all parts of the font, which has no boxes for them.
    const longer = await look(`/api/card?title=${encodeURIComponent('Hi Łódź Привет Việt')}`)
    expect([card.inked > 500, longer.inked > 4 * card.inked]).toEqual([true, true])
    const head = await get('/api/card', { method: 'HEAD' })
    expect([head.status, head.headers.get('content-type')]).toEqual([200, 'image/png'])
  })

  test('X1 next/og: an API handler, and a page with getServerSideProps, send the bytes of an image', async () => {
    const post = await (await get('/posts/first')).text()
    const [, address = ''] = /property="og:image" content="[^"]*?(\/api\/[^"]+)"/.exec(post) ?? []
    expect(address).toBe('/api/share/first')
    expect(await look(address)).toMatchObject({ width: 1200, height: 630 })
    const { headers } = await get(address)
    expect([headers.get('cache-control'), headers.has('etag')]).toEqual(['public, max-age=3600, s-maxage=86400', true])
    expect(await look('/poster')).toMatchObject({ width: 120, height: 60 })
  })

  test('X1 next/og: what cannot be drawn is an error response that no cache keeps', async () => {
    for (const path of ['/api/card?width=100000', '/api/card?fails=1']) {
      const { status, headers } = await get(path)
      expect([status, headers.get('content-type'), headers.get('cache-control'), headers.get('x-drawn')]).toEqual([
        ...[500, 'application/json; charset=utf-8', 'private, no-store', null],
      ])
    }
    // Text without a font is drawn, and reported in the log.
    expect((await get(`/api/card?title=${encodeURIComponent('日本 😀')}`)).status).toBe(200)
  })
}
