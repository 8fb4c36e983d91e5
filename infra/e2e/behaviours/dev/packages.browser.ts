// Packages of an app folder, under development as in a build (V1): their hooks are those of the pages, though the
// folder has no React; they bring stylesheets and JSON; modules and CommonJS import each other. And files that pages import.

import { cp } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { forms } from '@portico/shared/kit/testing/runs.ts'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { root } from '../../../checks/sources.ts'
import { hydrated, openPage } from '../../harness/chromium.ts'
import { type EmbeddedStack, startEmbedded } from '../../harness/embedded-stack.ts'
import { connectChromium } from '../../harness/shared.ts'
import { type EditedSite, makeSite } from '../../sites/make-site.ts'
import { IMPORTS } from '../../sites/written/imports.ts'
import { PACKAGES } from '../../sites/written/packages.ts'
import { SMALL } from '../../sites/written/small.ts'
import { startThirdParties, THIRD_PARTIES, type ThirdPartyHosts } from '../../sites/written/third-parties.ts'
import { testThirdParties } from './third-parties.ts'

/** npm installs React for every package that names it as a peer, at the top or next to the package. */
async function addOwnReact(dir: string): Promise<void> {
  for (const name of ['react', 'react-dom', 'scheduler', 'imports-react/node_modules/react'])
    await cp(join(root, 'node_modules', basename(name)), join(dir, 'node_modules', name), { recursive: true })
}

// Under development by `npm run test:long`.
const WAYS = forms<{ of: string; args: string[] }>(
  { of: 'in a build', args: [] },
  { of: 'under development', args: ['--dev'] },
)

describe.each(WAYS)('packages $of', ({ args }) => {
  let browser: Browser
  let site: EditedSite
  let stack: EmbeddedStack
  let hosts: ThirdPartyHosts

  beforeAll(async () => {
    browser = await connectChromium()
    site = await makeSite({ ...SMALL, ...THIRD_PARTIES, ...PACKAGES, ...IMPORTS })
    await addOwnReact(site.dir)
    hosts = await startThirdParties()
    stack = await startEmbedded({ appDir: site.dir, args, env: hosts.env })
  })
  afterAll(async () => {
    await browser?.close()
    await stack?.stop()
    await hosts?.stop()
    await site?.remove()
  })

  test('V1 W7 F2 use the React of the pages, import it or require it, and run without what browserStubs leaves out', async () => {
    const html = await (await fetch(`${stack.baseUrl}/packages`)).text()
    expect(html).toMatch(/<button id="imported">imported 0<\/button><button id="required">required 0<\/button>/)
    const { page, faults, documents, close } = await openPage(browser)
    await page.goto(`${stack.baseUrl}/packages`)
    for (const name of ['imported', 'required']) {
      await hydrated(page, `#${name}`, 60_000)
      await page.click(`#${name}`)
      await page.locator(`#${name}`).getByText(`${name} 1`).waitFor()
    }
    await page.locator('output').getByText('function function').waitFor()
    expect(documents, 'packages that are found late would reload the first page').toHaveLength(1)
    expect(faults).toEqual([])
    await close()
  })

  test('V1 F1 bring stylesheets and JSON, use the framework, and mix modules with CommonJS', async () => {
    const html = await (await fetch(`${stack.baseUrl}/files`)).text()
    expect(html).toContain('>brought at /files</p><p id="forms">MODULE named function wrapped</p>')
    const { page, faults, close } = await openPage(browser, { javaScriptEnabled: false })
    await page.goto(`${stack.baseUrl}/files`)
    const colour = await page.locator('#brought').evaluate((element) => getComputedStyle(element).color)
    expect(colour, 'a stylesheet of the document').toBe('rgb(7, 8, 9)')
    expect(faults).toEqual([])
    await close()
    expect((await fetch(`${stack.baseUrl}/moved`)).url).toBe(`${stack.baseUrl}/files`)
    const handled: unknown = await (await fetch(`${stack.baseUrl}/api/forms`)).json()
    expect(handled).toEqual(['MODULE named function wrapped', 'function'])
  })

  test('F3 files of every kind have a text, an address and a worker, equal on the server and in the browser', async () => {
    const { page, faults, close } = await openPage(browser)
    await page.goto(`${stack.baseUrl}/imports`)
    // The worker has imported modules, statically and at first use.
    await page.locator('#result').getByText('45', { exact: true }).waitFor({ timeout: 60_000 })
    // React reports another text as a fault; the policy reports what it blocks.
    expect(faults).toEqual([])
    const read = async (id: string) =>
      JSON.parse((await page.locator(id).textContent()) ?? '') as Record<string, string>
    const { imageText, notesText, pageText, sheetText } = await read('#texts')
    expect(imageText).toMatch(/^<svg /)
    expect(notesText).toBe('notes of the page')
    expect(pageText).toContain('getServerSideProps() {')
    expect(sheetText).toContain('@font-face')
    const handled = (await (await fetch(`${stack.baseUrl}/api/imports`)).json()) as Record<string, string>
    expect(handled.notes).toBe('notes of the page')
    const urls = { ...(await read('#urls')), invoice: handled.invoice ?? '', label: handled.label ?? '' }
    for (const [name, url] of Object.entries(urls)) {
      const { status, headers } = await fetch(new URL(url, stack.baseUrl))
      expect([name, status]).toEqual([name, 200])
      if (/^(film|sound|font)_/.test(name)) expect(headers.get('content-type'), name).toMatch(/^(video|audio|font)\//)
    }
    await close()
  })

  test('V1 W7 use it in the actions service, too', async () => {
    const [imported, required] = (await (await fetch(`${stack.baseUrl}/api/packages`)).json()) as string[]
    expect(imported).toMatch(/^19\./)
    expect(required).toBe(imported)
  })

  testThirdParties(args.length > 0, () => ({ browser, baseUrl: stack.baseUrl, hosts, site }))
})
