// Packages of an app folder, under development as in a build (V1): their hooks are those of the pages, though the
// folder has no React; they bring stylesheets and JSON; modules and CommonJS import each other.

import { cp } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { root } from '../../../checks/sources.ts'
import { hydrated, openPage } from '../../harness/chromium.ts'
import { type EmbeddedStack, startEmbedded } from '../../harness/embedded-stack.ts'
import { connectChromium } from '../../harness/shared.ts'
import { type EditedSite, makeSite } from '../../sites/make-site.ts'
import { PACKAGES } from '../../sites/packages.ts'
import { SMALL } from '../../sites/small.ts'
import { startThirdParties, THIRD_PARTIES, type ThirdPartyHosts } from '../../sites/third-parties.ts'
import { testThirdParties } from './third-parties.ts'

/** npm installs React for every package that names it as a peer, at the top or next to the package. */
async function addOwnReact(dir: string): Promise<void> {
  for (const name of ['react', 'react-dom', 'scheduler', 'imports-react/node_modules/react'])
    await cp(join(root, 'node_modules', basename(name)), join(dir, 'node_modules', name), { recursive: true })
}

describe.each([
  { of: 'under development', args: ['--dev'] },
  { of: 'in a build', args: [] },
])('packages $of', ({ args }) => {
  let browser: Browser
  let site: EditedSite
  let stack: EmbeddedStack
  let hosts: ThirdPartyHosts

  beforeAll(async () => {
    browser = await connectChromium()
    site = await makeSite({ ...SMALL, ...THIRD_PARTIES, ...PACKAGES })
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

  test('V1 W7 use the React of the pages, whether they import or require it', async () => {
    const html = await (await fetch(`${stack.baseUrl}/packages`)).text()
    expect(html).toMatch(/<button id="imported">imported 0<\/button><button id="required">required 0<\/button>/)
    const { page, faults, close } = await openPage(browser)
    await page.goto(`${stack.baseUrl}/packages`)
    for (const name of ['imported', 'required']) {
      await hydrated(page, `#${name}`, 60_000)
      await page.click(`#${name}`)
      await page.locator(`#${name}`).getByText(`${name} 1`).waitFor()
    }
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

  test('V1 W7 use it in the actions service, too', async () => {
    const [imported, required] = (await (await fetch(`${stack.baseUrl}/api/packages`)).json()) as string[]
    expect(imported).toMatch(/^19\./)
    expect(required).toBe(imported)
  })

  testThirdParties(args.length > 0, () => ({ browser, baseUrl: stack.baseUrl, hosts, site }))
})
