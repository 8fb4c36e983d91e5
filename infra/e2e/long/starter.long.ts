// The template of new sites, without an install: an editor that knows the types, a site that passes the suite, and what
// its clients see in Chromium, on a phone, in light and dark. The way of its author: infra/e2e/long/create.long.ts.

import { mkdir, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { root } from '../../checks/sources.ts'
import { faultsOf } from '../behaviours/client/journeys/accessibility.ts'
import { describeSite } from '../behaviours/http/suite.ts'
import { hydrated, launchChromium, openPage } from '../harness/chromium.ts'
import { type EmbeddedStack, startEmbedded } from '../harness/embedded-stack.ts'
import { program } from '../harness/framework.ts'
import { send } from '../harness/http.ts'
import { copyApp, makeFolder, type Run, run, type TemporaryFolder } from '../harness/processes.ts'
import { buildApp } from '../harness/replicas.ts'
import { STARTER } from '../sites/sites.ts'

const PHONE = { width: 390, height: 844 }

let folder: TemporaryFolder
let site: string
let written: Run
let typed: Run
let stack: EmbeddedStack | undefined
let browser: Browser

const compile = () => run(join(root, 'node_modules/.bin/tsc'), ['-p', site, '--pretty', 'false'], { cwd: site })

beforeAll(async () => {
  folder = await makeFolder('starter')
  site = join(folder.path, 'mysite')
  await copyApp(STARTER.appDir, site)
  await mkdir(join(site, 'node_modules'))
  await symlink(join(root, 'node_modules/vitest'), join(site, 'node_modules/vitest'))
  const env = { ...process.env, APP_DIR: site }
  written = await run(process.execPath, [program('web/build/types-cli'), '--if-present'], { cwd: site, env })
  typed = await compile()
  await buildApp(site)
  stack = await startEmbedded({ appDir: site, env: { SITE_NAME: 'Harbour' } })
  browser = await launchChromium()
})

afterAll(async () => {
  await browser?.close()
  await stack?.stop()
  await folder?.remove()
})

describe('the template', () => {
  test('F1 has types that one command writes before it was ever built', async () => {
    expect(written).toEqual({ code: 0, output: '' })
    expect(typed).toEqual({ code: 0, output: '' })
  })

  test('F1 reports a link to a page that does not exist', async () => {
    const page = join(site, 'pages/wrong.tsx')
    await writeFile(page, 'import { Link } from \'portico\'\nexport default () => <Link href="/guestbok" />\n')
    const { code, output } = await compile()
    await rm(page)
    expect(code).not.toBe(0)
    expect(output).toMatch(/^pages\/wrong\.tsx\(2,\d+\): error .*"\/guestbok"/)
  })

  test('O1 O8 starts without being installed, under the name that the environment gives it', async () => {
    const baseUrl = stack?.baseUrl ?? ''
    expect((await send(baseUrl, '/')).text).toContain('<title>Harbour</title>')
    expect((await send(baseUrl, '/book')).headers.location).toBe('/guestbook')
  })
})

describeSite('as it was made', { site: { ...STARTER, title: 'Harbour' }, baseUrl: () => stack?.baseUrl ?? '' })

/** Faults of the current page, in both colour schemes. */
async function expectNoFaults(page: Page): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    expect(await faultsOf(page), `${page.url()} in ${colorScheme}`).toEqual([])
  }
  expect(await page.evaluate(() => document.documentElement.scrollWidth), page.url()).toBeLessThanOrEqual(PHONE.width)
}

describe('in Chromium', () => {
  test('N1 N3 leads from page to page without loading a document, and axe-core finds no fault in any', async () => {
    const { page, faults, documents, close } = await openPage(browser, { viewport: PHONE })
    await page.goto(stack?.baseUrl ?? '')
    await hydrated(page, 'main')
    await expectNoFaults(page)
    for (const name of ['A page is a file', 'A picture for every screen', 'Guestbook']) {
      await page.getByRole('link', { name }).first().click()
      await page.getByRole('heading', { level: 1, name }).waitFor()
      await expectNoFaults(page)
    }
    expect(documents).toHaveLength(1)
    expect(faults).toEqual([])
    await page.goto(`${stack?.baseUrl}/nope`)
    await expectNoFaults(page)
    await close()
  })

  test('F3 utilities of Tailwind win over the styles of the site', async () => {
    const { page, close } = await openPage(browser)
    await page.goto(stack?.baseUrl ?? '')
    const size = await page.locator('h1').evaluate((element) => {
      const utilities = new CSSStyleSheet()
      utilities.replaceSync(
        '@layer theme, base, components, utilities; @layer utilities { .text-sm { font-size: 14px } }',
      )
      document.adoptedStyleSheets = [utilities]
      element.setAttribute('class', 'text-sm')
      return getComputedStyle(element).fontSize
    })
    expect(size).toBe('14px')
    await close()
  })

  test('A1 A3 shows next to each field what was refused, keeps what was typed, and shows what was written', async () => {
    const { page, documents, close } = await openPage(browser)
    await page.goto(`${stack?.baseUrl}/guestbook`)
    await hydrated(page, 'form')
    const line = `Fog until noon ${Math.random().toString(36).slice(2, 10)}`
    await page.getByLabel('A line or two').fill(line)
    await page.getByRole('button', { name: 'Sign' }).click()
    await page.getByText('Please write your name.').waitFor()
    expect(await page.getByLabel('A line or two').inputValue()).toBe(line)
    expect(await faultsOf(page)).toEqual([])
    await page.getByLabel('Your name').fill('Ida')
    await page.getByRole('button', { name: 'Sign' }).click()
    await page.getByText('Thank you, Ida.').waitFor()
    await page.getByRole('listitem').filter({ hasText: line }).waitFor()
    expect(documents).toHaveLength(1)
    await close()
  })
})
