// Editing an app folder while a page of it is open in Chromium: what is changed shows without a restart (V1, V2).

import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { testAtLength } from '@portico/shared/kit/testing/runs.ts'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { hydrated, openPage } from '../../harness/chromium.ts'
import { type EmbeddedStack, startEmbedded } from '../../harness/embedded-stack.ts'
import { connectChromium } from '../../harness/shared.ts'
import { type EditedSite, makeSite } from '../../sites/make-site.ts'
import { SMALL } from '../../sites/written/small.ts'
import { UTILITIES } from '../../sites/written/utilities.ts'
import { overlayText } from './dev-panel.ts'
import { restore } from './restore.ts'

/** A module that a data function and a component use, and one that only passes class names on. */
const SHARED = {
  'lib/price.ts': `export const price = (euros: number) => euros + ' EUR'
`,
  'components/theme.ts': `import css from './theme.module.css'
export const theme = css
`,
  'components/theme.module.css': '.price { margin-left: 1px; }\n',
  'pages/shared.tsx': `import { useState } from 'react'
import { theme } from '../components/theme.ts'
import { price } from '../lib/price.ts'
export async function getServerSideProps() {
  return { props: { text: price(1) } }
}
export default function Shared({ text }: { text: string }) {
  const [count, setCount] = useState(0)
  return <main className={theme.price}><p id="text">{text}</p><p id="own">{price(2)}</p><button type="button" id="count" onClick={() => setCount(count + 1)}>count {count}</button></main>
}
`,
}

/** Two pages with two sheets, each page in another order. */
const ORDERED = {
  'styles/red.css': '.ordered { color: rgb(200, 0, 0); }\n',
  'styles/blue.css': '.ordered { color: rgb(0, 0, 200); }\n',
  'styles/first.css': '.ordered { border-left: 3px solid; }\n',
  'pages/first.tsx': `import '../styles/red.css'
import '../styles/blue.css'
import '../styles/first.css'
import { Link } from 'portico'
export default function First() {
  return <main className="ordered" id="first"><Link href="/second">second</Link></main>
}
`,
  'pages/second.tsx': `import '../styles/blue.css'
import '../styles/red.css'
import { Link } from 'portico'
export default function Second() {
  return <main className="ordered" id="second"><Link href="/first">first</Link></main>
}
`,
}

let browser: Browser
let site: EditedSite
let stack: EmbeddedStack

beforeAll(async () => {
  browser = await connectChromium()
  // Stylesheets depend on every source, as with Tailwind.
  site = await makeSite({ ...SMALL, ...UTILITIES, ...SHARED, ...ORDERED })
  stack = await startEmbedded({ appDir: site.dir, args: ['--dev'] })
})
afterAll(async () => {
  await browser?.close()
  await stack?.stop()
  await site?.remove()
})

beforeEach(() => restore(site, stack.baseUrl))

const shows = (page: Page, selector: string, text: string) =>
  page.locator(selector).getByText(text, { exact: true }).first().waitFor({ timeout: 30_000 })

describe('an edited app folder', () => {
  test('V1 shows a changed component and keeps the state of the page', async () => {
    const { page, faults, documents, close } = await openPage(browser)
    await page.goto(`${stack.baseUrl}/`)
    await hydrated(page, '#count', 60_000)
    await page.click('#count')
    await shows(page, 'main', 'count 1')
    await site.edit('components/greeting.tsx', 'Hello one', 'Hello two')
    await shows(page, 'main', 'Hello two')
    await shows(page, 'main', 'count 1')
    await site.edit('pages/index.tsx', 'count {count}', 'counted {count}')
    await shows(page, 'main', 'counted 1')
    expect(documents).toHaveLength(1)
    expect(faults).toEqual([])
    // The server renders the same.
    expect(await (await fetch(`${stack.baseUrl}/`)).text()).toContain('Hello two')
    await close()
  })

  testAtLength(
    'V1 keeps the state of the page when an editor truncates a page’s file some time before it writes the file',
    async () => {
      const { page, faults, documents, close } = await openPage(browser)
      await page.goto(`${stack.baseUrl}/`)
      await hydrated(page, '#count', 60_000)
      await page.click('#count')
      const text = (await site.read('pages/index.tsx')).replace(/>\w+ \{count\}/, '>sum {count}')
      const file = await open(join(site.dir, 'pages/index.tsx'), 'w')
      // Vite sees the empty file, and the page requests its module.
      await page.waitForTimeout(150)
      await file.writeFile(text)
      await file.close()
      await shows(page, 'main', 'sum 1')
      expect(documents).toHaveLength(1)
      expect(faults).toEqual([])
      await close()
    },
  )

  test('V1 F3 shows changed utility classes, stylesheets and CSS modules without loading the page', async () => {
    const { page, faults, documents, close } = await openPage(browser)
    await page.goto(`${stack.baseUrl}/`)
    await hydrated(page, '#count', 60_000)
    const padding = () => page.locator('#greeting').evaluate((element) => getComputedStyle(element).paddingTop)
    expect(await padding()).toBe('1px')
    await site.edit('components/greeting.tsx', 'pad-1', 'pad-29')
    await expect.poll(padding, { timeout: 30_000 }).toBe('29px')
    // Files that no module imports: added, removed and added again.
    await page.evaluate(() => document.querySelector('#greeting')!.classList.add('pad-31'))
    for (const pixels of ['31px', '29px', '31px']) {
      if (pixels === '31px') await site.write('components/extra.ts', "export const extra = 'pad-31'\n")
      else await site.removeFile('components/extra.ts')
      await expect.poll(padding, { timeout: 30_000 }).toBe(pixels)
    }
    const [link = ''] = /[^"]*site\.css\?direct/.exec(await (await fetch(`${stack.baseUrl}/`)).text()) ?? []
    const linked = await (await fetch(stack.baseUrl + link)).text()
    expect(linked, 'the stylesheet of the next document').toMatch(/pad-29.*pad-31/s)
    const colour = () => page.evaluate(() => getComputedStyle(document.querySelector('main')!).color)
    const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor)
    expect(await colour()).toBe('rgb(1, 2, 3)')
    await site.edit('pages/index.module.css', 'rgb(1, 2, 3)', 'rgb(4, 5, 6)')
    await expect.poll(colour, { timeout: 30_000 }).toBe('rgb(4, 5, 6)')
    await site.edit('styles/site.css', 'rgb(250, 250, 250)', 'rgb(240, 240, 240)')
    await expect.poll(ground, { timeout: 30_000 }).toBe('rgb(240, 240, 240)')
    expect(documents).toHaveLength(1)
    expect(faults).toEqual([])
    await close()
  })

  testAtLength('V1 shows what a changed data function and a changed server module return, keeping state', async () => {
    const { page, documents, faults, close } = await openPage(browser)
    await page.goto(`${stack.baseUrl}/data`)
    await hydrated(page, '#count', 60_000)
    await page.click('#count')
    await site.edit('lib/text.ts', 'text one', 'text two')
    await shows(page, '#text', 'text two')
    await site.edit('pages/data.tsx', "'first'", "'second'")
    await shows(page, '#word', 'second')
    await shows(page, 'main', 'count 1')
    expect(documents).toHaveLength(1)
    expect(faults).toEqual([])
    await close()
  })

  test('V1 shows a changed module of page and data function, and a CSS module behind another module, keeping state', async () => {
    const { page, documents, faults, close } = await openPage(browser)
    await page.goto(`${stack.baseUrl}/shared`)
    await hydrated(page, '#count', 60_000)
    await page.click('#count')
    await site.edit('lib/price.ts', 'EUR', 'euros')
    await shows(page, '#own', '2 euros')
    await shows(page, '#text', '1 euros')
    const margin = () => page.locator('main').evaluate((element) => getComputedStyle(element).marginLeft)
    await site.edit('components/theme.module.css', '1px', '7px')
    await expect.poll(margin, { timeout: 30_000 }).toBe('7px')
    await shows(page, 'main', 'count 1')
    expect(documents).toHaveLength(1)
    expect(faults).toEqual([])
    await close()
  })

  testAtLength(
    'V1 N7 F3 applies the sheets of the shown page in the order of its imports, also after an edit of them',
    async () => {
      const { page, documents, close } = await openPage(browser)
      await page.goto(`${stack.baseUrl}/first`)
      await hydrated(page, 'a', 60_000)
      const styles = () =>
        page.locator('.ordered').evaluate((element) => {
          const { color, borderLeftWidth } = getComputedStyle(element)
          return [color, borderLeftWidth]
        })
      const FIRST = ['rgb(0, 0, 200)', '3px']
      expect(await styles()).toEqual(FIRST)
      await page.click('a')
      await page.locator('#second').waitFor({ timeout: 30_000 })
      expect(await styles()).toEqual(['rgb(200, 0, 0)', '0px'])
      await page.click('a')
      await page.locator('#first').waitFor({ timeout: 30_000 })
      expect(await styles()).toEqual(FIRST)
      await site.edit(
        'pages/first.tsx',
        "import '../styles/red.css'\nimport '../styles/blue.css'",
        "import '../styles/blue.css'\nimport '../styles/red.css'",
      )
      await expect.poll(styles, { timeout: 30_000 }).toEqual(['rgb(200, 0, 0)', '3px'])
      expect(documents).toHaveLength(1)
      await close()
    },
  )

  testAtLength('V1 shows an edit that was made after the page was rendered and before it was connected', async () => {
    const { page, close } = await openPage(browser)
    const { promise: edited, resolve: connect } = Promise.withResolvers<void>()
    await page.routeWebSocket(/_portico/, async (socket) => {
      await edited
      socket.connectToServer()
    })
    await page.goto(`${stack.baseUrl}/shared`)
    await shows(page, '#text', '1 EUR')
    await site.edit('lib/price.ts', 'EUR', 'Euro')
    const served = async () => (await fetch(`${stack.baseUrl}/shared`)).text()
    await expect.poll(served, { timeout: 30_000 }).toContain('1 Euro')
    connect()
    await shows(page, '#text', '1 Euro')
    await shows(page, '#own', '2 Euro')
    await site.write('lib/price.ts')
    await shows(page, '#own', '2 EUR')
    await close()
  })

  test('V1 runs a changed action and responds with a changed API handler', async () => {
    const { page, close } = await openPage(browser)
    await page.goto(`${stack.baseUrl}/form`)
    await hydrated(page, 'form', 60_000)
    const send = async (word: string) => {
      await page.fill('[name=word]', word)
      await page.click('[type=submit]')
    }
    await send('a')
    await shows(page, 'form', 'saved one a')
    await site.edit('actions/save.ts', 'saved one', 'saved two')
    await send('b')
    await shows(page, 'form', 'saved two b')
    const hello = async () => (await fetch(`${stack.baseUrl}/api/hello`)).json()
    expect(await hello()).toEqual({ hello: 'one' })
    await site.edit('pages/api/hello.ts', "'one'", "'two'")
    await expect.poll(hello, { timeout: 30_000 }).toEqual({ hello: 'two' })
    await close()
  })

  testAtLength('V1 finds new, renamed and removed pages', async () => {
    const { page, close } = await openPage(browser)
    const status = async (path: string) => (await fetch(stack.baseUrl + path)).status
    expect(await status('/fresh')).toBe(404)
    await site.write('pages/fresh.tsx', 'export default function Fresh() { return <h1>Fresh page</h1> }\n')
    await expect.poll(() => status('/fresh'), { timeout: 30_000 }).toBe(200)
    await page.goto(`${stack.baseUrl}/`)
    await hydrated(page, '#count', 60_000)
    await site.edit('pages/index.tsx', 'href="/data"', 'href="/fresh"')
    await page.locator('a[href="/fresh"]').waitFor()
    await page.click('a[href="/fresh"]')
    await shows(page, 'h1', 'Fresh page')
    await site.write('pages/newer.tsx', await site.read('pages/fresh.tsx'))
    await site.removeFile('pages/fresh.tsx')
    await expect.poll(() => status('/newer'), { timeout: 30_000 }).toBe(200)
    await expect.poll(() => status('/fresh'), { timeout: 30_000 }).toBe(404)
    // The tab loads again, and so it would after the next edit. Chromium may hang when it is closed meanwhile.
    await shows(page, 'h1', '404')
    await close()
    await site.edit('pages/index.tsx', 'href="/fresh"', 'href="/data"')
  })

  testAtLength('V1 shows a renamed and a removed page in the tab that has it open', async () => {
    const { page, close } = await openPage(browser)
    const code = (text: string) => `export default function Open() { return <h1 id="open">${text}</h1> }\n`
    await site.write('pages/open.tsx', code('one'))
    await expect.poll(async () => (await fetch(`${stack.baseUrl}/open`)).status, { timeout: 30_000 }).toBe(200)
    await page.goto(`${stack.baseUrl}/open`)
    await hydrated(page, '#open', 60_000)
    await site.write('pages/open.jsx', code('two'))
    await site.removeFile('pages/open.tsx')
    await shows(page, '#open', 'two')
    await hydrated(page, '#open', 60_000)
    await site.write('pages/open.jsx', code('three'))
    await shows(page, '#open', 'three')
    await site.removeFile('pages/open.jsx')
    await shows(page, 'h1', '404')
    await close()
  })

  testAtLength(
    'V1 V2 X15 applies middleware that is added and edited, shows its error, and continues after the fix',
    async () => {
      const { page, close } = await openPage(browser)
      const matched = async () => (await fetch(`${stack.baseUrl}/data`)).text()
      const code =
        "export const config = { matcher: '/data' }\nexport function middleware() { return new Response('closed one') }\n"
      await site.write('middleware.ts', code)
      await expect.poll(matched, { timeout: 30_000 }).toBe('closed one')
      await site.edit('middleware.ts', 'closed one', 'closed two')
      await expect.poll(matched, { timeout: 30_000 }).toBe('closed two')
      expect(await (await fetch(`${stack.baseUrl}/`)).text()).toContain('Hello one')
      await site.edit('middleware.ts', "return new Response('closed two')", "throw new Error('no guard today')")
      await expect.poll(matched, { timeout: 30_000 }).not.toContain('closed')
      await page.goto(`${stack.baseUrl}/data`)
      await expect.poll(() => overlayText(page), { timeout: 30_000 }).toContain('no guard today')
      expect(await overlayText(page)).toContain('middleware.ts:2')
      // The page loads again.
      await site.edit('middleware.ts', "throw new Error('no guard today')", 'return undefined')
      await shows(page, 'main', 'first')
      await site.write('middleware.ts', "export const config = { matcher: 'data' }\nexport function middleware() {}\n")
      await expect.poll(() => overlayText(page), { timeout: 30_000 }).toContain('must begin with "/"')
      await site.removeFile('middleware.ts')
      await expect.poll(() => overlayText(page), { timeout: 30_000 }).toBe('')
      await close()
    },
  )

  test('V1 follows portico.config.ts and public files', async () => {
    const location = async (path: string) =>
      (await fetch(stack.baseUrl + path, { redirect: 'manual' })).headers.get('location')
    expect(await location('/old')).toBe('/data')
    await site.edit('portico.config.ts', "destination: '/data'", "destination: '/form'")
    await expect.poll(() => location('/old'), { timeout: 30_000 }).toBe('/form')
    const note = async () => (await fetch(`${stack.baseUrl}/note.txt`)).text()
    expect(await note()).toBe('note one\n')
    await site.write('public/note.txt', 'note two, longer\n')
    await expect.poll(note, { timeout: 30_000 }).toBe('note two, longer\n')
  })
})
