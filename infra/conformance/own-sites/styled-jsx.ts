// styled-jsx in Chromium (X12), on the site of Next.js.

import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { openPage, type WatchedPage } from '../../e2e/harness/chromium.ts'

/** The colours of elements of the page with styled-jsx. */
const COLORS = {
  body: 'rgb(0, 0, 0)',
  '#scoped': 'rgb(0, 0, 1)',
  '.badge': 'rgb(0, 0, 4)',
  a: 'rgb(0, 0, 5)',
  '#level': 'rgb(0, 0, 10)',
  '#later': 'rgb(0, 0, 6)',
  i: 'rgb(0, 0, 2)',
  // Of `_app`: without a style of its own.
  '#vitals': 'rgb(0, 0, 0)',
}

/** A package that is published with compiled styles, and a page with it. */
export async function writeStyledPackage(dir: string): Promise<void> {
  const files = {
    'node_modules/badge/package.json': '{ "name": "badge", "version": "1.0.0", "main": "index.js" }',
    'node_modules/badge/index.js': `const interop = (module) => (module.__esModule ? module : { default: module })
const Style = interop(require('styled-jsx/style')).default
const { createElement } = require('react')
const style = createElement(Style, { id: '901' }, ['b.jsx-901{color:rgb(0, 0, 7)}', 'u.jsx-901{top:0}'])
exports.Badge = () => createElement('b', { id: 'packaged', className: 'jsx-901' }, 'badge', style)`,
    'pages/styles/packaged.jsx': `import { Badge } from 'badge'
export default function Packaged() {
  return <Badge />
}`,
  }
  for (const [file, text] of Object.entries(files)) {
    await mkdir(dirname(join(dir, file)), { recursive: true })
    await writeFile(join(dir, file), text)
  }
}

async function colors(page: Page): Promise<Record<string, string>> {
  const color = (selector: string) => page.locator(selector).evaluate((each) => getComputedStyle(each).color)
  const found = Object.keys(COLORS).map(async (selector) => [selector, await color(selector)] as const)
  return Object.fromEntries(await Promise.all(found))
}

interface RunningSite {
  browser: Browser
  baseUrl: string
  watched: WatchedPage
}

/** Registers the test. `open` loads a path as a document and waits for the hydration of an element. */
export function describeStyledJsx(
  site: () => RunningSite,
  open: (path: string, selector: string) => Promise<void>,
): void {
  test('X12 styled-jsx: in the first document, with values that change, and after navigations', async () => {
    const { browser, baseUrl, watched } = site()
    const { page } = watched
    const html = await (await fetch(`${baseUrl}/styles`)).text()
    const head = html.slice(0, html.indexOf('</head>'))
    expect(head.match(/<style id="__jsx-[0-9a-f]+">/g)).toHaveLength(6)
    expect(head.lastIndexOf('<link rel="stylesheet"')).toBeLessThan(head.indexOf('<style id="__jsx-'))
    const plain = await openPage(browser, { javaScriptEnabled: false })
    await plain.page.goto(`${baseUrl}/styles`)
    expect(await colors(plain.page)).toEqual(COLORS)
    await plain.close()

    await open('/styles/packaged', '#packaged')
    expect(await page.locator('#packaged').evaluate((each) => getComputedStyle(each).color)).toBe('rgb(0, 0, 7)')
    expect(await page.locator('#__jsx-901').textContent()).toBe('b.jsx-901{color:rgb(0, 0, 7)}u.jsx-901{top:0}')

    await open('/styles', 'button')
    expect(await colors(page)).toEqual(COLORS)
    const ids = await page.locator('style[id], style[data-styled-jsx]').evaluateAll((all) => all.map(({ id }) => id))
    expect(ids, 'hydration adds none').toHaveLength(6)
    await page.click('button')
    await expect.poll(async () => (await colors(page))['#level']).toBe('rgb(0, 0, 11)')
    await page.click('a')
    await page.locator('h1').getByText('Other', { exact: true }).waitFor()
    expect(await page.locator('#scoped').evaluate((each) => getComputedStyle(each).color)).toBe('rgb(0, 0, 3)')
    expect(await page.evaluate(() => getComputedStyle(document.body).backgroundColor)).not.toBe('rgb(250, 250, 250)')
    await page.click('a')
    await page.locator('h1').getByText('Styles', { exact: true }).waitFor()
    expect(await colors(page)).toEqual(COLORS)
    expect(watched.documents).toHaveLength(2)
    expect(watched.faults).toEqual([])
  })
}
