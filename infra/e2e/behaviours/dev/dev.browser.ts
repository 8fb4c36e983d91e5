// Development as an author sees it in Chromium: edits that keep state, overlays that appear and disappear, a server
// that stops and starts. On a small app folder outside the repository.

import { describeAtLength, forms, testAtLength } from '@portico/shared/kit/testing/runs.ts'
import type { Browser } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { hydrated, openPage, type WatchedPage } from '../../harness/chromium.ts'
import { type EmbeddedStack, startEmbedded } from '../../harness/embedded-stack.ts'
import { connectChromium } from '../../harness/shared.ts'
import { type EditedSite, edited, makeSite } from '../../sites/make-site.ts'
import { FAULTY } from '../../sites/written/faulty.ts'
import { SMALL } from '../../sites/written/small.ts'
import { authorFaults } from './author-faults.ts'
import { badgeText, overlayText, panelFaults } from './dev-panel.ts'
import { restore } from './restore.ts'

/** Builds and transforms run next to other tests on a loaded machine. */
const PATIENT = { timeout: 30_000, interval: 100 }

let site: EditedSite
let stack: EmbeddedStack
let browser: Browser
let watched: WatchedPage

const start = (env: Record<string, string> = {}) =>
  startEmbedded({ appDir: site.dir, args: ['--dev'], env, timeoutMs: 120_000 })

beforeAll(async () => {
  site = await makeSite({ ...SMALL, ...FAULTY })
  ;[stack, browser] = await Promise.all([start(), connectChromium()])
  // The first page of all lets Vite prepare the packages.
  const first = await openPage(browser)
  await first.page.goto(`${stack.baseUrl}/`)
  await hydrated(first.page, '#press', 60_000)
  await first.close()
}, 180_000)

afterAll(async () => {
  await browser?.close()
  await stack?.stop()
  await site?.remove()
})

beforeEach(async () => {
  await restore(site, stack.baseUrl)
  watched = await openPage(browser)
})

afterEach(() => watched.close())

const open = async (path: string) => {
  await watched.page.goto(stack.baseUrl + path)
  return watched.page
}

/** The home page after two presses: state that an edit must not lose. */
const openPressed = async () => {
  const page = await open('/')
  await hydrated(page, '#press', 20_000).catch((cause: unknown) => {
    throw new Error(`the page is not live: ${watched.faults.join('; ')}`, { cause })
  })
  await page.click('#press')
  await page.click('#press')
  await page.locator('#label', { hasText: 'Pressed 2 times' }).waitFor()
  return page
}

const overlay = () => overlayText(watched.page)

describe('edits', () => {
  testAtLength('V1 shows the result of an edited module of the server and keeps the state of the page', async () => {
    const page = await openPressed()
    await site.write('lib/greeting.ts', edited(FAULTY, 'lib/greeting.ts', 'morning', 'evening'))
    await expect.poll(() => page.textContent('main h1'), PATIENT).toBe('Good evening')
    await site.write('lib/greeting.ts')
    await expect.poll(() => page.textContent('main h1'), PATIENT).toBe('Good morning')
    expect(await page.textContent('#label')).toBe('Pressed 2 times')
    expect(watched.documents).toHaveLength(1)
  })

  testAtLength('V1 shows an edited stylesheet and keeps the state of the page', async () => {
    const page = await openPressed()
    const colour = () => page.evaluate(() => getComputedStyle(document.querySelector('h1')!).color)
    expect(await colour()).toBe('rgb(10, 20, 30)')
    await site.write('styles/site.css', 'h1 { color: rgb(40, 50, 60); }\n')
    await expect.poll(colour, PATIENT).toBe('rgb(40, 50, 60)')
    // A removed style has no effect: no sheet of the document is left behind.
    await site.write('styles/site.css', 'h2 { color: rgb(40, 50, 60); }\n')
    await expect.poll(colour, PATIENT).toBe('rgb(0, 0, 0)')
    await site.write('styles/site.css')
    expect(await page.textContent('#label')).toBe('Pressed 2 times')
    expect(watched.documents).toHaveLength(1)
  })

  testAtLength('V1 leaves the not-found screen when the page appears', async () => {
    const page = await open('/later')
    await expect.poll(() => page.textContent('h1'), PATIENT).toBe('404')
    await site.write('pages/later.tsx', 'export default function Later() {\n  return <h1>Later</h1>\n}\n')
    await expect.poll(() => page.textContent('h1'), PATIENT).toBe('Later')
  })
})

describe('faults', () => {
  test('V2 shows a build error with file, line and frame, and removes it after the fix; the state stays', async () => {
    const page = await openPressed()
    await site.write('components/label.tsx', edited(FAULTY, 'components/label.tsx', 'return <', 'return <<'))
    await expect.poll(overlay, PATIENT).toContain('components/label.tsx:2:')
    await expect.poll(overlay, PATIENT).toMatch(/Build error.*return <<strong/s)
    await site.write('components/label.tsx')
    await expect.poll(overlay, PATIENT).toBe('')
    await expect.poll(() => badgeText(page), PATIENT).toBe('')
    expect(await page.textContent('#label')).toBe('Pressed 2 times')
    expect(watched.documents).toHaveLength(1)
  })

  test('F2 shows server code in the browser at its import, and removes it when tree shaking removes the code', async () => {
    const label = FAULTY['components/label.tsx']
    await site.write('server/db.ts', "export const db = { name: 'database' }\n")
    await site.write(
      'lib/both.ts',
      "import { db } from '../server/db.ts'\nexport const load = () => db.name\nexport const plain = () => 'plain'\n",
    )
    const page = await openPressed()
    const write = (name: string) =>
      site.write('components/label.tsx', `import { ${name} } from '../lib/both.ts'\nvoid ${name}()\n${label}`)
    await write('load')
    const chain = 'pages/index.tsx → components/label.tsx → lib/both.ts → server/db.ts'
    await expect.poll(overlay, PATIENT).toContain(chain)
    await expect.poll(overlay, PATIENT).toContain('lib/both.ts:1:')
    await write('plain')
    await expect.poll(overlay, PATIENT).toBe('')
    await expect.poll(() => badgeText(page), PATIENT).toBe('')
    await site.write('components/label.tsx', `globalThis.shop = process.env.SHOP\n${label}`)
    await expect.poll(overlay, PATIENT).toContain("use publicEnv('SHOP') of portico")
    await expect.poll(overlay, PATIENT).toContain('components/label.tsx:1:')
    // Shown though no browser runs it.
    await site.write('components/label.tsx', `if (Math.random() > 2) console.log(global.shop)\n${label}`)
    await expect.poll(overlay, PATIENT).toContain('uses global, which no browser has; write globalThis')
    await expect.poll(overlay, PATIENT).toContain('components/label.tsx:1:')
    await site.write('components/label.tsx')
    await expect.poll(overlay, PATIENT).toBe('')
  })

  testAtLength('V2 shows an error of the frame of all pages, and the page when it is fixed', async () => {
    await site.write('pages/_app.tsx', edited(FAULTY, 'pages/_app.tsx', 'return (', 'return ((('))
    const page = await open('/')
    await expect.poll(overlay, PATIENT).toContain('pages/_app.tsx:')
    await site.write('pages/_app.tsx')
    await expect.poll(() => page.textContent('main h1'), PATIENT).toBe('Good morning')
    await expect.poll(overlay, PATIENT).toBe('')
  })

  test('V2 shows an error of a data function at its line, and the page when it is fixed', async () => {
    const page = await open('/broken')
    await expect.poll(overlay, PATIENT).toContain('Error in a data function')
    await expect.poll(overlay, PATIENT).toContain("Cannot read properties of undefined (reading 'text')")
    await expect.poll(overlay, PATIENT).toMatch(/pages\/broken\.tsx:3:.*place\.name!\.text/s)
    await site.write('pages/broken.tsx', edited(FAULTY, 'pages/broken.tsx', '= {}', "= { name: { text: 'Mended' } }"))
    await expect.poll(() => page.textContent('main h1'), PATIENT).toBe('Mended')
    await expect.poll(overlay, PATIENT).toBe('')
  })

  testAtLength(
    'D7 shows props that JSON would change, on a client transition and in a document, until they are fixed',
    async () => {
      const reportOf = (
        when: string,
      ) => `export const getServerSideProps = () => ({ props: { list: [{ when: ${when} }] } })
export default function Report() { return <h1>Report</h1> }
`
      await site.write('pages/broken.tsx', reportOf('new Date(0)'))
      const page = await openPressed()
      await page.click('a[href="/broken"]')
      await expect.poll(overlay, PATIENT).toContain('props.list[0].when: a Date; use date.toISOString()')
      await open('/broken')
      await expect.poll(overlay, PATIENT).toContain('pages/broken.tsx:1:')
      await expect.poll(overlay, PATIENT).toContain('Error in a data function')
      await site.write('pages/broken.tsx', reportOf("'today'"))
      await expect.poll(() => page.textContent('main h1'), PATIENT).toBe('Report')
      await expect.poll(overlay, PATIENT).toBe('')
    },
  )

  authorFaults(() => ({ site, open, page: watched.page }))

  test('V2 puts the overlay away by Escape, gives the focus back, and opens it again by the badge', async () => {
    const page = await open('/throws')
    await hydrated(page, '#click', 60_000)
    await page.focus('#click')
    await page.keyboard.press('Enter')
    await expect.poll(overlay, PATIENT).toContain('TypeError: Clicked to pieces')
    await expect.poll(overlay, PATIENT).toContain('pages/throws.tsx:7:')
    await page.keyboard.press('Escape')
    await expect.poll(overlay, PATIENT).toBe('')
    await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('click')
    await expect.poll(() => badgeText(page)).toBe('1 error')
    await page.locator('#portico-dev .badge').focus()
    await page.keyboard.press('Enter')
    await expect.poll(overlay, PATIENT).toContain('Clicked to pieces')
  })

  testAtLength('V2 shows an error that a boundary caught, at its line, until the next edit', async () => {
    const page = await open('/throws')
    await hydrated(page, '#render', 60_000)
    await page.click('#render')
    await expect.poll(overlay, PATIENT).toContain('pages/throws.tsx:5:')
    await expect.poll(overlay, PATIENT).toContain('Rendered to pieces')
    await site.write(
      'pages/throws.tsx',
      edited(FAULTY, 'pages/throws.tsx', 'if (isBroken) throw', 'if (!useState) throw'),
    )
    await expect.poll(overlay, PATIENT).toBe('')
    await expect.poll(() => page.textContent('main h1'), PATIENT).toBe('Throws')
  })

  test('V2 shows both texts where server and browser differ, and who made the element', async () => {
    await open('/differs')
    await expect.poll(overlay, PATIENT).toContain('Server and browser differ')
    await expect.poll(overlay, PATIENT).toMatch(/The server sent\s+from the server/)
    await expect.poll(overlay, PATIENT).toMatch(/The browser renders\s+from the browser/)
    await expect.poll(overlay, PATIENT).toContain('pages/differs.tsx:6:')
  })

  testAtLength('V2 shows attributes that differ between server and browser', async () => {
    await open('/attributes')
    await expect.poll(overlay, PATIENT).toContain('className="served"')
    await expect.poll(overlay, PATIENT).toContain('className="shown"')
    await expect.poll(overlay, PATIENT).toContain('pages/attributes.tsx:2:')
  })

  test.each(forms<'light' | 'dark'>('light', 'dark'))(
    'V2 shows an overlay without a fault that axe-core finds, %s',
    async (colorScheme) => {
      await watched.close()
      watched = await openPage(browser, { colorScheme, reducedMotion: 'reduce' })
      await open('/broken')
      await expect.poll(overlay, PATIENT).toContain('pages/broken.tsx:3:')
      expect(await panelFaults(watched.page)).toEqual([])
      await open('/differs')
      await expect.poll(overlay, PATIENT).toContain('Server and browser differ')
      expect(await panelFaults(watched.page)).toEqual([])
    },
  )

  testAtLength('I10 warns of images without alternative text or size, and of no others', async () => {
    const page = await open('/pictures')
    await expect.poll(() => badgeText(page), PATIENT).toBe('2 warnings')
    await page.click('#portico-dev .badge')
    for (const text of ['has no alt', 'has no width and height', 'pages/pictures.tsx:8:'])
      await expect.poll(overlay, PATIENT).toContain(text)
    await page.keyboard.press('Escape')
    const file = 'pages/pictures.tsx'
    await site.write(
      file,
      edited(FAULTY, file, '<img src="/dot.svg" />', '<img src="/dot.svg" alt="" width="10" height="10" />'),
    )
    await expect.poll(() => badgeText(page), PATIENT).toBe('')
  })
})

describeAtLength('a server that stops and starts', () => {
  /** The stack restarts the gateway; the server behind the gateway keeps running. */
  const breakConnection = async () => {
    await expect.poll(() => stack.serviceId('gateway'), PATIENT).toBeDefined()
    process.kill(stack.serviceId('gateway')!, 'SIGKILL')
    await expect.poll(() => badgeText(watched.page), PATIENT).toMatch(/Reconnecting/)
  }

  test('V2 keeps the page when the connection was lost and nothing changed', async () => {
    const page = await openPressed()
    await breakConnection()
    await expect.poll(() => badgeText(page), PATIENT).toBe('')
    expect(await page.textContent('#label')).toBe('Pressed 2 times')
    expect(watched.documents).toHaveLength(1)
  })

  test('V2 loads the page again when code changed while the connection was lost', async () => {
    const page = await openPressed()
    await breakConnection()
    await site.write('components/label.tsx', edited(FAULTY, 'components/label.tsx', 'Pressed', 'Touched'))
    await expect.poll(() => page.textContent('#label'), PATIENT).toBe('Touched 0 times')
    await site.write('components/label.tsx')
    await expect.poll(() => page.textContent('#label'), PATIENT).toBe('Pressed 0 times')
  })

  test('V2 counts attempts while the server is unavailable, and loads the page again when another server responds', async () => {
    const page = await openPressed()
    const { port } = new URL(stack.baseUrl)
    await stack.stop()
    try {
      await expect.poll(() => badgeText(page), PATIENT).toMatch(/Reconnecting, attempt \d+ of 25/)
      // Vite's own client would have loaded the page by now, and lost it.
      expect(await page.textContent('#label')).toBe('Pressed 2 times')
      await site.write('components/label.tsx', edited(FAULTY, 'components/label.tsx', 'Pressed', 'Touched'))
    } finally {
      stack = await start({ PORT: port })
    }
    await expect.poll(() => page.textContent('#label'), PATIENT).toBe('Touched 0 times')
    await expect.poll(() => badgeText(page), PATIENT).toBe('')
  }, 120_000)
})
