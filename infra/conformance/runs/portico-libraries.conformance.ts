// Libraries of other authors on two pages, under development and in a build: TanStack Query, Headless UI, Tailwind,
// Recharts, SWR, MDX, zod, valibot, a native package, PostgreSQL; next-themes, Radix, React Hook Form, sonner, nuqs,
// motion, dnd-kit, TipTap.

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { hasPostgres, type Postgres, startPostgres } from '@portico/shared/kit/testing/postgres-server.ts'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { root } from '../../checks/sources.ts'
import { hydrated, launchChromium, openPage, type WatchedPage } from '../../e2e/harness/chromium.ts'
import { type EmbeddedStack, startEmbedded } from '../../e2e/harness/embedded-stack.ts'
import { makeFolder, run, type TemporaryFolder } from '../../e2e/harness/processes.ts'
import { installSite } from '../own-sites/install-site.ts'

type Folder = TemporaryFolder

const FOREST = 'rgb(20, 83, 45)'
const withPostgres = hasPostgres()

let browser: Browser
let site: string
let postgres: Postgres | undefined

beforeAll(async () => {
  ;[browser, site, postgres] = await Promise.all([
    launchChromium(),
    installSite('libraries'),
    withPostgres ? startPostgres() : undefined,
  ])
  await postgres?.runFile(join(site, 'lib/schema.sql'))
})
afterAll(async () => {
  await Promise.all([browser?.close(), postgres?.stop()])
})

describe.each([
  { of: 'in a build', args: [] },
  // With a build in the folder: its stylesheets are no sources.
  { of: 'under development', args: ['--dev'] },
])('libraries $of', ({ args }) => {
  let stack: EmbeddedStack
  let data: Folder
  let watched: WatchedPage
  let page: Page

  beforeAll(async () => {
    data = await makeFolder('libraries-data')
    const env = { DATA_DIR: data.path, ...(postgres && { DATABASE_URL: postgres.url }) }
    stack = await startEmbedded({ appDir: site, args, env })
    watched = await openPage(browser)
    page = watched.page
    // Under development the packages are bundled first, and the first page waits for them.
    await page.goto(stack.baseUrl, { timeout: 120_000 })
    await hydrated(page, 'button', 60_000).catch((cause: unknown) => {
      throw new Error(`the page is not live: ${watched.faults.join('; ')}`, { cause })
    })
  }, 300_000)
  afterAll(async () => {
    await watched?.close()
    await stack?.stop()
    await data?.remove()
  })

  const field = (name: string) => page.locator(`input[name="${name}"]`)
  const press = (name: string) => page.getByRole('button', { name }).click()
  const sees = (text: string | RegExp) => page.getByText(text).waitFor()
  /** Everything but the rejection of an invalid form, which the tests cause. */
  const faults = () => watched.faults.filter((fault) => !/^422 |status of 422/.test(fault))

  test('F1 F3 Tailwind styles the page, a package brings its font, MDX is a component, Recharts draws, SWR fetches', async () => {
    const colour = () => page.locator('h1').evaluate((element) => getComputedStyle(element).color)
    await expect.poll(colour).toBe(FOREST)
    const fonts = () => page.evaluate(() => [...document.fonts].filter((font) => font.status === 'loaded').length)
    await expect.poll(fonts, { message: 'the subset of this text' }).toBe(1)
    await page.getByRole('heading', { name: 'About the shop' }).waitFor()
    await page.locator('path.recharts-line-curve').waitFor()
    await sees('4 of 5 stars')
    const workshop = await (await fetch(`${stack.baseUrl}/workshop`)).text()
    expect(workshop, 'MDX is a page, with data').toContain('<p>Open since <!-- -->1987<!-- -->. Rated: ')
    expect(watched.documents, 'packages that are found late would reload the first page').toHaveLength(1)
    expect(faults()).toEqual([])
  })

  test('F1 D7 TanStack Query shows the data of the server and fetches again', async () => {
    const [pieces] = /\d+/.exec(await page.getByText(/^Oak: /).innerText()) ?? []
    const html = await (await fetch(stack.baseUrl)).text()
    expect(html, 'the server renders the prefetched data').toContain(
      `<p>Oak<!-- -->: <!-- -->${Number(pieces) - 1}</p>`,
    )
    await press('Refresh the stock')
    await sees(`Oak: ${Number(pieces) - 2}`)
    expect(faults()).toEqual([])
  })

  test('F1 Headless UI opens a dialog, a list and a menu', async () => {
    await press('Delivery')
    const panel = page.getByRole('dialog')
    await panel.getByText('Delivered within a week').waitFor()
    await page.keyboard.press('Escape')
    await panel.waitFor({ state: 'detached' })
    await press('Wood: Oak')
    await page.getByRole('option', { name: 'Pine' }).click()
    await page.getByRole('button', { name: 'Wood: Pine' }).waitFor()
    await press('Pages')
    await page.getByRole('menuitem', { name: 'Orders' }).waitFor()
    await page.keyboard.press('Escape')
    expect(faults()).toEqual([])
  })

  test('A3 valibot rejects by field, and an action hashes with a native package', async () => {
    await field('email').fill('ida')
    await field('password').fill('short')
    await press('Register')
    await sees('This is no address.')
    await sees('At least 12 characters.')
    await field('email').fill('ida@example.org')
    await field('password').fill('correct horse battery staple')
    await press('Register')
    await sees('Registered: ida@example.org')
    expect(await readFile(join(data.path, 'accounts'), 'utf8')).toContain('"password":"$argon2id$')
    expect(faults()).toEqual([])
  })

  test.skipIf(!withPostgres)('A3 N1 zod rejects by field, and a row in PostgreSQL is shown', async () => {
    await press('Pages')
    await page.getByRole('menuitem', { name: 'Orders' }).click()
    await page.getByRole('heading', { name: 'Orders' }).waitFor()
    expect(watched.documents, 'the link is a transition').toHaveLength(1)
    await field('pieces').fill('0')
    await press('Order')
    await sees('Choose a product.')
    await sees('At least one piece.')
    const product = args.length > 0 ? 'Larch' : 'Fir'
    await field('product').fill(product)
    await field('pieces').fill('3')
    await press('Order')
    await sees(`3 of ${product}`)
    expect(await (await fetch(`${stack.baseUrl}/orders`)).text()).toContain(product)
    expect(faults()).toEqual([])
  })

  test('G6 F1 next-themes sets the theme, Radix opens a dialog, motion removes, dnd-kit sorts, TipTap edits', async () => {
    await page.goto(`${stack.baseUrl}/workbench?wood=Oak`, { timeout: 60_000 })
    await hydrated(page, 'button', 60_000)
    await press('Dark')
    expect(await page.locator('html').getAttribute('class')).toBe('dark')
    await press('Care')
    await page.getByRole('dialog').getByText('With linseed oil.').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await press('Origin')
    await sees('Grown in Norway')
    await press('Origin')
    await page.getByText('Grown in Norway').waitFor({ state: 'detached' })
    const [saw, oil] = await Promise.all(
      ['Saw', 'Oil'].map((step) => page.getByText(step, { exact: true }).boundingBox()),
    )
    await page.mouse.move(saw!.x + 5, saw!.y + 5)
    await page.mouse.down()
    await page.mouse.move(oil!.x + 5, oil!.y + 5, { steps: 5 })
    await page.mouse.up()
    const steps = page.locator('[aria-roledescription="sortable"]')
    await expect.poll(() => steps.allTextContents()).toEqual(['Plane', 'Oil', 'Saw'])
    await page.getByText('Measure twice').click()
    await page.keyboard.press('Control+A')
    await press('Bold')
    await page.locator('strong', { hasText: 'Measure twice' }).waitFor()
    expect(faults()).toEqual([])
  })

  test('N1 nuqs has the query on the server, changes the address, and requests page data when it should', async () => {
    const html = await (await fetch(`${stack.baseUrl}/workbench?wood=Elm`)).text()
    expect(html).toContain('value="Elm"')
    const wood = page.getByLabel('Wood')
    expect(await wood.inputValue()).toBe('Oak')
    await wood.fill('Pine')
    await expect.poll(() => page.url()).toMatch(/\?wood=Pine$/)
    await press('Page 1')
    await sees('The server has page 2')
    expect(page.url()).toMatch(/\?wood=Pine&page=2$/)
    await page.goBack()
    await sees('The server has page 1')
    await page.getByRole('button', { name: 'Page 1' }).waitFor()
    expect(faults()).toEqual([])
  })

  test('A2 A3 React Hook Form validates, calls the action, and shows its issues, a toast of sonner or the next page', async () => {
    const save = async (name: string, age: string) => {
      await field('name').fill(name)
      await field('age').fill(age)
      await press('Save')
    }
    await save('', '7')
    await sees('Your name, please.')
    await sees('From the age of 16.')
    await save('Ada', '20')
    await sees('This name is taken.')
    expect(await page.locator('#portico-notice').count(), 'the form shows it').toBe(0)
    await save('Ida', '20')
    await sees('Saved: Ida')
    await save('Ida', '70')
    await page.getByRole('heading', { name: 'Timber' }).waitFor()
    expect(faults()).toEqual([])
  })
})

test('V1 F1 the site and the types of its libraries compile', async () => {
  const { output } = await run(join(root, 'node_modules/.bin/tsc'), ['-p', site], { cwd: site })
  expect(output).toBe('')
})
