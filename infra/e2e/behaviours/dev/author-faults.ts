// Faults that an author makes and fixes, on the running stack of dev.browser.ts: actions, imports, rules, packages,
// secrets.

import { testAtLength } from '@portico/shared/kit/testing/runs.ts'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { hydrated } from '../../harness/chromium.ts'
import { type EditedSite, edited } from '../../sites/make-site.ts'
import { FAULTY } from '../../sites/written/faulty.ts'
import { badgeText, overlayText } from './dev-panel.ts'

/** Changes and requests wait for other tests on a loaded machine. */
const PATIENT = { timeout: 30_000, interval: 100 }

interface Context {
  site: EditedSite
  page: Page
  open(path: string): Promise<Page>
}

/** `context` returns the parts of the current test. */
export function authorFaults(context: () => Context): void {
  const overlay = () => overlayText(context().page)

  test('V2 shows a throwing action at the author’s line, not its consequence in the browser', async () => {
    const page = await context().open('/act')
    await hydrated(page, '#send', 60_000)
    await page.click('#send')
    await expect.poll(overlay, PATIENT).toContain('lib/fail.ts:2:')
    await expect.poll(overlay, PATIENT).toMatch(/Error in an action.*Cannot fail 1 time/s)
    expect(await badgeText(page)).toBe('1 error')
    await context().site.write('lib/fail.ts', edited(FAULTY, 'lib/fail.ts', 'throw new Error', 'return String'))
    await expect.poll(overlay, PATIENT).toBe('')
  })

  testAtLength('V2 shows a wrong import at its line, and a broken rule with its documentation', async () => {
    const page = await context().open('/wrong')
    await expect.poll(() => page.textContent('main h1'), PATIENT).toBe('Wrong')
    const wrong: [string, string, string][] = [
      ['../lib/missing.ts', 'greet', 'cannot find "../lib/missing.ts"'],
      ['not-installed', 'greet', 'cannot find "not-installed"; a package must be in package.json and installed'],
      ['../lib/greeting.ts', 'welcome', '"../lib/greeting.ts" does not export "welcome"; it exports greet'],
    ]
    for (const [module, name, message] of wrong) {
      await context().site.write(
        'pages/wrong.tsx',
        `\nimport { ${name} } from '${module}'\nexport default () => <h1>{${name}()}</h1>\n`,
      )
      await expect.poll(overlay, PATIENT).toContain(message)
      await expect.poll(overlay, PATIENT).toContain('pages/wrong.tsx:2:')
    }
    const both =
      'export function getServerSideProps() {}\nexport function getStaticProps() {}\nexport default () => null\n'
    await context().site.write('pages/wrong.tsx', both)
    await expect.poll(overlay, PATIENT).toContain('must not export both getServerSideProps and getStaticProps')
    await expect.poll(overlay, PATIENT).toContain('pages/wrong.tsx:2:')
    const link = page.locator('#portico-dev a')
    const [docs] = await Promise.all([page.context().waitForEvent('page'), link.click()])
    expect(await docs.locator(new URL(docs.url()).hash).textContent()).toBe('One data function per page')
    await docs.close()
    await context().site.write('pages/wrong.tsx')
    await expect.poll(overlay, PATIENT).toBe('')
    await expect.poll(() => page.textContent('main h1'), PATIENT).toBe('Wrong')
  })

  testAtLength(
    'V2 shows an error that the frame of all pages throws, to a page that loads, and the page when it is fixed',
    async () => {
      await context().site.write(
        'pages/_app.tsx',
        edited(FAULTY, 'pages/_app.tsx', 'return (', "throw new Error('no frame')\n  return ("),
      )
      // A page that was rendered before the server read the edit would show the error only in the overlay.
      const shown = async () => (await context().open('/')).locator('pre').allTextContents()
      await expect.poll(shown, PATIENT).toEqual(['no frame'])
      const { page } = context()
      await expect.poll(overlay, PATIENT).toMatch(/no frame.*pages\/_app\.tsx:6:/s)
      await context().site.write('pages/_app.tsx')
      await expect.poll(() => page.textContent('main h1'), PATIENT).toBe('Good morning')
      await expect.poll(overlay, PATIENT).toBe('')
    },
  )

  testAtLength(
    'O8 shows a secret that is not set, until .env.local sets it, or its rule says that it is optional',
    async () => {
      const page = await context().open('/')
      await context().site.edit(
        'portico.config.ts',
        'redirects:',
        "env: { PAYMENT_KEY: { type: 'string' } }, redirects:",
      )
      // In one look: the page may be loaded again in between.
      await expect
        .poll(overlay, PATIENT)
        .toMatch(/Error in the configuration.*PAYMENT_KEY is not set: must be a string \(env of portico\.config\.ts\)/s)
      await context().site.write('.env.local', 'PAYMENT_KEY=of the file\n')
      await expect.poll(() => page.textContent('main h1'), PATIENT).toBe('Good morning')
      await expect.poll(overlay, PATIENT).toBe('')
      await context().site.removeFile('.env.local')
      await expect.poll(overlay, PATIENT).toContain('PAYMENT_KEY is not set')
      await context().site.edit('portico.config.ts', "type: 'string'", "type: 'string', optional: true")
      await expect.poll(overlay, PATIENT).toBe('')
      await expect.poll(() => page.textContent('main h1'), PATIENT).toBe('Good morning')
    },
  )

  testAtLength('V2 names package, file and command for a native package of another system', async () => {
    await context().open('/native')
    await expect.poll(overlay, PATIENT).toContain('the package native: node_modules/native/native.node was built for')
    await expect
      .poll(overlay, PATIENT)
      .toMatch(/run:\s+cd \S+ && rm -r node_modules\/native && PATH=\S+:\$PATH npm install/)
    await expect.poll(overlay, PATIENT).toContain('pages/native.tsx:4:')
  })

  testAtLength(
    'V2 warnings go away when they are fixed, from the open list, too, and reach no page that opens later',
    async () => {
      await context().site.write('pages/slow.tsx', edited(FAULTY, 'pages/slow.tsx', 'pauseMs = 0', 'pauseMs = 1100'))
      const page = await context().open('/slow')
      // The first call after an edit also compiles the module, and does not count.
      const warned = async () => {
        await page.reload()
        await hydrated(page, '#slow', 20_000)
        return badgeText(page)
      }
      await expect.poll(warned, PATIENT).toBe('1 warning')
      await page.click('#portico-dev .badge')
      await expect.poll(overlay, PATIENT).toContain('getServerSideProps took 1.')
      await context().site.write('pages/slow.tsx')
      await expect.poll(overlay, PATIENT).toBe('')
      expect(await badgeText(page)).toBe('')
      await page.reload()
      await hydrated(page, '#slow', 20_000)
      expect(await badgeText(page)).toBe('')
    },
  )
}
