// What portico-next-site.conformance.ts observes of `assetPrefix` and of the files beside the folder of the pages (X4, X16).

import { expect, test } from 'vitest'
import { hydrated, type WatchedPage } from '../../e2e/harness/chromium.ts'
import type { EmbeddedStack } from '../../e2e/harness/embedded-stack.ts'
import type { PullCdn } from '../../e2e/harness/hosts/pull-cdn.ts'

interface RunningSite {
  cdn: PullCdn
  stack: EmbeddedStack
  watched: WatchedPage
}

/** The tests of a site that runs before each of them. */
export function testAddedFields(site: () => RunningSite): void {
  const open = async (path: string, selector: string) => {
    await site().watched.page.goto(site().stack.baseUrl + path)
    await hydrated(site().watched.page, selector, 60_000)
  }
  const heading = (text: string) => site().watched.page.locator('h1').getByText(text, { exact: true }).waitFor()
  const text = (selector: string) => site().watched.page.locator(selector).textContent()

  test('X4 assetPrefix: scripts, styles, fonts and imported images come from there, all else from the site', async () => {
    const { cdn, stack, watched } = site()
    const { page } = watched
    const ours: string[] = []
    page.on('request', (request) => {
      if (request.url().startsWith(stack.baseUrl)) ours.push(new URL(request.url()).pathname)
    })
    cdn.paths.length = 0
    await open('/tools', '#form')
    await page.locator('#browser-only').getByText('width known').waitFor()
    await expect.poll(() => text('#loaded')).toBe('A field')
    const src = (await page.locator('#image').getAttribute('src')) ?? ''
    const source = new URL(src, stack.baseUrl).searchParams.get('url')
    expect(source).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/files\/_portico\/static\/picture-[0-9a-f]+\.png$/)
    expect((await fetch(source!)).headers.get('access-control-allow-origin')).toBe('*')
    await page.click('#singleton')
    await heading('About /about')
    expect(await page.evaluate(() => Reflect.get(window, '__NEXT_DATA__').assetPrefix)).toBe(`${cdn.origin}/files`)
    expect(ours.filter((path) => path.includes('/static/'))).toEqual([])
    expect(ours).toContain('/widget.js')
    expect(ours.some((path) => path.startsWith('/_portico/data/') || path.startsWith('/_portico/manifest/'))).toBe(true)
    expect(cdn.paths.every((path) => path.startsWith('/files/_portico/static/'))).toBe(true)
    for (const kind of [/browser-only-.*\.js$/, /\.css$/, /\.woff2$/, /about-.*\.js$/])
      expect(cdn.paths.join('\n')).toMatch(new RegExp(kind, 'm'))
    await open('/work', '#result')
    await expect.poll(() => text('#result')).toBe('42 d29ya2Vy object true cGFnZQ== true')
    expect(watched.faults.filter((fault) => !/missing\.js|status of 404/.test(fault))).toEqual([])
    const { headers } = await fetch(`${stack.baseUrl}/tools`)
    expect(headers.get('link')).toContain(`<${cdn.origin}/files/_portico/static/`)
    expect(headers.get('link')).not.toContain('</_portico')
    expect(
      (await fetch(`${stack.baseUrl}/nothing`).then((screen) => screen.text())).match(/"\/_portico\/static/),
    ).toBeNull()
  })

  test('X16 instrumentation runs before the services are ready, and receives errors with their requests', async () => {
    const { stack } = site()
    const get = (path: string) => fetch(stack.baseUrl + path, { headers: { 'x-probe': 'p' } })
    expect((await get('/observed?fails=1')).status).toBe(500)
    expect((await get('/api/observed?fails=1')).status).toBe(500)
    const [, shown = ''] = /<pre>([^<]*)/.exec(await (await get('/observed')).text()) ?? []
    expect(shown.split('\n')).toEqual([
      'registered',
      'Error: of the page GET /observed?fails=1 p Pages Router /observed render',
    ])
    expect(await (await get('/api/observed')).json()).toEqual([
      'registered',
      'Error: of the handler GET /api/observed?fails=1 p Pages Router /api/observed route',
    ])
  })

  test('X16 instrumentation-client runs before hydration, and reportWebVitals of _app receives durations', async () => {
    const { watched } = site()
    const { page } = watched
    await open('/about', '#home')
    expect(await page.evaluate(() => Reflect.get(window, 'instrumented'))).toBe('before hydration')
    const vitals = () => page.evaluate(() => document.body.dataset.vitals ?? '')
    await expect.poll(vitals).toContain('custom:Next.js-hydration')
    await expect.poll(vitals).toContain('web-vital:TTFB')
    await page.click('#home')
    await heading('Home')
    await expect.poll(vitals).toContain('custom:Next.js-route-change-to-render custom:Next.js-render')
    expect((await vitals()).match(/hydration/g)).toHaveLength(1)
    expect(watched.faults).toEqual([])
  })
}
