// A site of the Pages Router of Next.js, unchanged: the modules of Next.js in a browser (X1-X3).

import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { root } from '../../checks/sources.ts'
import { hydrated, launchChromium, openPage, type WatchedPage } from '../../e2e/harness/chromium.ts'
import { type EmbeddedStack, startEmbedded } from '../../e2e/harness/embedded-stack.ts'
import { type PullCdn, startPullCdn } from '../../e2e/harness/hosts/pull-cdn.ts'
import { copyApp, makeFolder, run, type TemporaryFolder } from '../../e2e/harness/processes.ts'
import { testAddedFields } from '../own-sites/added-fields.ts'
import { linkDrawingPackages, testDrawnImages } from '../own-sites/drawn-images.ts'
import { describeStyledJsx, writeStyledPackage } from '../own-sites/styled-jsx.ts'

describe('a site of Next.js', () => {
  let browser: Browser
  let folder: TemporaryFolder
  let cdn: PullCdn
  let stack: EmbeddedStack
  let watched: WatchedPage
  let page: Page

  beforeAll(async () => {
    browser = await launchChromium()
    // Outside of the repository: the site finds no package of it.
    folder = await makeFolder('next')
    await copyApp(join(root, 'infra/conformance/own-sites/next'), folder.path)
    await writeStyledPackage(folder.path)
    await linkDrawingPackages(folder.path)
    // An old build would look newer than its sources.
    await rm(join(folder.path, 'dist'), { recursive: true, force: true })
    // Every behaviour holds with hashed files of another origin.
    cdn = await startPullCdn()
    stack = await startEmbedded({ appDir: folder.path, env: { ASSET_PREFIX: `${cdn.origin}/files` } })
    cdn.connect(stack.baseUrl)
  })
  afterAll(async () => {
    await browser?.close()
    await stack?.stop()
    await cdn?.stop()
    await folder?.remove()
  })
  beforeEach(async () => {
    watched = await openPage(browser)
    page = watched.page
  })
  afterEach(() => watched.close())

  const open = async (path: string, selector: string) => {
    await page.goto(stack.baseUrl + path)
    await hydrated(page, selector, 60_000)
  }
  const heading = (text: string) => page.locator('h1').getByText(text, { exact: true }).waitFor()
  const text = (selector: string) => page.locator(selector).textContent()
  const address = () => page.url().slice(stack.baseUrl.length)
  const metas = (name: string) =>
    page
      .locator(`meta[name="${name}"], meta[property="${name}"]`)
      .evaluateAll((all) => all.map((each) => each.getAttribute('content')))

  test('X3 next/head: the last of equal elements is in the head, from the server and after a navigation', async () => {
    const html = await (await fetch(stack.baseUrl)).text()
    const head = html.slice(0, html.indexOf('</head>'))
    expect(head).toContain('<title data-next-head="">Home 2</title>')
    expect(head.match(/<title/g)).toHaveLength(1)
    for (const part of [
      '"@type":"WebSite"',
      '.from-head {',
      '<base target="_self"',
      'rel="canonical"',
      'charSet="utf-8"',
    ])
      expect(head).toContain(part)
    await open('/', '#object')
    await expect.poll(() => page.title()).toBe('Home 2')
    await expect.poll(() => metas('description')).toEqual(['of the home page'])
    expect(await metas('og:title')).toEqual(['of the home page'])
    expect(await metas('og:image')).toEqual(['/one.png', '/two.png'])
    expect(await metas('theme-color')).toEqual(['white'])
    await page.click('.plain')
    await heading('About /about')
    await expect.poll(() => page.title()).toBe('About')
    expect(await metas('description')).toEqual(['of the site'])
    expect(await metas('og:image')).toEqual([])
    expect(await page.locator('base, head style[data-next-head], link[rel=canonical]').count()).toBe(0)
    expect(watched.documents).toHaveLength(1)
    expect(watched.faults).toEqual([])
  })

  test('X7 a form is posted to a page with getServerSideProps, which reads the body and sends the page', async () => {
    await open('/contact', 'button')
    await page.fill('[name=name]', 'Ada & Bob')
    await page.click('button')
    await heading('Thanks Ada & Bob')
    await hydrated(page, 'button', 60_000)
    expect([await text('#method'), address()]).toEqual(['POST', '/contact'])
    expect(watched.faults).toEqual([])
    const post = (path: string, headers = {}) =>
      fetch(stack.baseUrl + path, { method: 'POST', headers, body: new URLSearchParams({ name: '' }) })
    const response = await post('/contact')
    expect([response.status, response.headers.get('cache-control')]).toEqual([422, 'private, no-store'])
    expect((await post('/contact', { 'sec-fetch-site': 'cross-site' })).status).toBe(403)
    const fixed = await post('/about')
    expect([fixed.status, fixed.headers.get('cache-control')]).toEqual([200, 'private, no-store'])
  })

  test('X7 a handler of the edge runtime has the classes of next/server', async () => {
    const headers = { cookie: 'a=b', 'sec-fetch-site': 'same-origin', 'user-agent': 'Firefox/140.0' }
    const response = await fetch(`${stack.baseUrl}/api/edge`, { method: 'POST', headers, body: 'text' })
    expect(await response.json()).toEqual({ isOwn: true, cookie: 'b', body: 'text', browser: 'Firefox' })
    expect(response.headers.getSetCookie()).toEqual(['seen=yes; Path=/; HttpOnly'])
    const moved = await fetch(`${stack.baseUrl}/api/edge?to=/about`, { redirect: 'manual' })
    expect([moved.status, new URL(moved.headers.get('location') ?? '').pathname]).toEqual([303, '/about'])
  })

  test('X2 next/link: objects, `as`, legacyBehavior, passHref and onNavigate', async () => {
    await open('/', '#object')
    expect(await page.locator('#object').getAttribute('href')).toBe('/posts/a%20b?from=home')
    expect(await page.locator('#as').getAttribute('href')).toBe('/posts/second')
    expect(await page.locator('.plain').getAttribute('href')).toBe('/about')
    expect(await page.locator('.pill').getAttribute('href')).toBe('/about')
    await page.click('#prevented')
    await page.locator('#navigated').getByText('prevented').waitFor()
    await expect.poll(address).toBe('/')
    await page.click('#as')
    await heading('Post second')
    await page.goBack()
    await heading('Home')
    await page.click('.pill')
    await heading('About /about')
    await page.click('#home')
    await heading('Home')
    await page.click('#object')
    await heading('Post a b')
    expect(watched.documents).toHaveLength(1)
    expect(watched.faults).toEqual([])
  })

  test('X2 next/router: objects, shallow moves, isReady, the default Router and window.next', async () => {
    await open('/posts/first?x=1', '#query')
    await expect.poll(() => text('#router')).toBe('/posts/[slug] /posts/first?x=1 {"x":"1","slug":"first"} true')
    await page.click('#query')
    await expect
      .poll(() => text('#router'))
      .toBe('/posts/[slug] /posts/first?x=1&page=2 {"x":"1","page":"2","slug":"first"} true')
    await page.click('#shallow')
    await expect.poll(address).toBe('/posts/first?tab=1')
    await expect
      .poll(() => page.evaluate(() => document.body.dataset.seen))
      .toBe('/posts/first?x=1&page=2 /posts/first?tab=1')
    await page.evaluate(() =>
      (window as unknown as { next: { router: { push: (to: string) => void } } }).next.router.push('/about'),
    )
    await heading('About /about')
    expect(watched.documents).toHaveLength(1)
    expect(watched.faults).toEqual([])
  })

  test('X2 __NEXT_DATA__ is the data element and a global, and /_next/data has the data of pages', async () => {
    await open('/posts/first?x=1', '#query')
    const [read, element] = await page.evaluate(() => [
      Reflect.get(window, '__NEXT_DATA__'),
      JSON.parse(document.getElementById('__NEXT_DATA__')?.textContent ?? ''),
    ])
    const props = { pageProps: { slug: 'first' }, __N_SSG: true }
    expect(read).toMatchObject({ props, page: '/posts/[slug]', query: { slug: 'first' }, isFallback: false, gsp: true })
    expect(read).toEqual(element)
    const data = (path: string) => fetch(`${stack.baseUrl}/_next/data/${read.buildId}/${path}.json`)
    expect(await (await data('posts/first')).json()).toEqual(props)
    expect((await data('about')).status).toBe(404)
    expect(watched.faults).toEqual([])
  })

  test('X2 `as` shows another address than that of the page, also after back and forward', async () => {
    await open('/feed', '#open')
    await page.click('#open')
    await page.locator('dialog').getByText('Photo 7 in the feed').waitFor()
    await expect.poll(address).toBe('/photos/7')
    expect(await text('#address')).toBe('/photos/7')
    expect(await text('#same'), 'the data function ran again').toBe('false')
    await page.goBack()
    await page.locator('dialog').waitFor({ state: 'detached' })
    await expect.poll(address).toBe('/feed')
    await page.goForward()
    await page.locator('dialog').getByText('Photo 7 in the feed').waitFor()
    await page.goBack()
    await page.locator('dialog').waitFor({ state: 'detached' })
    const before = await text('#same')
    await page.click('#open-shallow')
    await page.locator('dialog').getByText('Photo 8 in the feed').waitFor()
    await expect.poll(address).toBe('/photos/8')
    expect(await text('#same'), 'shallow: no data function runs').toBe(before)
    await page.reload()
    await heading('Photo 8 alone')
    expect(watched.faults).toEqual([])
  })

  test('X1 X3 next/dynamic, script, image, form, navigation, config and an inner module', async () => {
    const html = await (await fetch(`${stack.baseUrl}/tools?q=hills`)).text()
    expect(html).toMatch(/<p class="heavy">heavy (<!-- -->)?component/)
    expect(html).toContain('<p id="browser-only">loading in the browser</p>')
    expect(html.slice(0, html.indexOf('</head>'))).toContain('window.early = document.readyState')
    await open('/tools?q=hills', '#form')
    await page.locator('#browser-only').getByText('width known').waitFor()
    await page.locator('#broken').getByText('failed: offline').waitFor()
    await page.locator('#named').waitFor()
    await expect.poll(() => text('#events')).toBe('error lazy load ready')
    expect(await page.evaluate(() => Reflect.get(window, 'early'))).toBe('loading')
    await expect.poll(() => text('#loaded')).toBe('A field')
    expect(await text('#background')).toContain('%2Fpicture.png')
    await expect.poll(() => text('#navigation')).toBe('/tools hills')
    expect(await text('#config')).toContain(
      '{"publicRuntimeConfig":{},"serverRuntimeConfig":{}} phase-production-build',
    )
    await page.getByRole('button', { name: 'search' }).click()
    await expect.poll(address).toBe('/tools?q=sea')
    await expect.poll(() => text('#navigation')).toBe('/tools sea')
    await page.click('#app-router')
    await heading('Post third')
    await page.goBack()
    await page.locator('#events').getByText('ready').waitFor()
    expect(await page.evaluate(() => Reflect.get(window, 'widget')), 'a script runs once for each document').toBe(1)
    await expect.poll(() => text('#vitals')).toContain('TTFB')
    await page.click('#singleton')
    await heading('About /about')
    expect(watched.documents).toHaveLength(1)
    expect(watched.faults.filter((fault) => !/missing\.js|status of 404/.test(fault))).toEqual([])
  })

  describeStyledJsx(
    () => ({ browser, baseUrl: stack.baseUrl, watched }),
    (path, selector) => open(path, selector),
  )

  testAddedFields(() => ({ cdn, stack, watched }))

  testDrawnImages(() => ({ baseUrl: stack.baseUrl, watched }))

  test('X11 the server calls getInitialProps for documents, the browser for navigations, and _error shows its errors', async () => {
    const data: string[] = []
    page.on('request', (request) => void (/\/data\/.*stock/.test(request.url()) && data.push(request.url())))
    await open('/stock?shelf=1', '#next-shelf')
    expect(await text('#from')).toBe('server for GET /stock?shelf=1')
    await page.hover('#next-shelf')
    await page.click('#next-shelf')
    await expect.poll(() => text('#from')).toBe('browser /stock?shelf=2#top')
    await page.goBack()
    await expect.poll(() => text('#from')).toBe('browser /stock?shelf=1')
    expect(watched.faults).toEqual([])
    await page.click('#broken-shelf')
    await heading('500')
    expect(address()).toBe('/stock?shelf=broken')
    expect(watched.faults.join()).toContain('the shelf is broken')
    expect([data, watched.documents.length]).toEqual([[], 1])
    expect((await fetch(`${stack.baseUrl}/stock?shelf=broken`)).status).toBe(500)
  })

  test('X1 the site compiles, without the package `next`', async () => {
    const { output } = await run(join(root, 'node_modules/.bin/tsc'), ['-p', folder.path], { cwd: folder.path })
    expect(output).toBe('')
  })

  test('X1 X3 _document, _app, next/error and next/font', async () => {
    const response = await fetch(`${stack.baseUrl}/nothing`)
    expect(response.status).toBe(404)
    const html = await response.text()
    expect(html).toContain('<html lang="en" data-document="own">')
    expect(html).toContain('<div id="__next">')
    expect(html).toMatch(/<title data-next-head="">404: /)
    const preloads = (html.match(/<link rel="preload" href="[^"]+" as="font" crossorigin>/g) ?? []).join()
    expect(preloads, 'the font of _app').toMatch(
      /^<link rel="preload" href="http:[^"]+\/_portico\/static\/sample-[0-9a-f]+\.woff2" as="font" crossorigin>$/,
    )
    await open('/', '#object')
    const families = await page.locator('.styled').evaluate((element) => getComputedStyle(element).fontFamily)
    // Behind it is the fallback font, which this machine may not have.
    const [family = ''] = families.split(',')
    expect(family).toMatch(/^"?font-[0-9a-f]{12}/)
    expect(await page.evaluate((name) => document.fonts.load(`16px ${name}`).then((all) => all.length), family)).toBe(1)
    const body = await page.locator('#__next > div').evaluate((element) => getComputedStyle(element).fontFamily)
    expect(body).toMatch(/^Lobster, font-[0-9a-f]{12}-fallback, system-ui, sans-serif$/)
    expect(await page.locator('#__next').evaluate((element) => element.clientHeight === innerHeight)).toBe(true)
  })
})
