// Pages with scripts, frames, requests and fonts of other hosts under the content security policy (G6), in Chromium: under
// development and in a build.

import type { Browser } from 'playwright-core'
import { expect, test } from 'vitest'
import { hydrated, openPage } from '../../harness/chromium.ts'
import type { EditedSite } from '../../sites/make-site.ts'
import type { ThirdPartyHosts } from '../../sites/written/third-parties.ts'
import { badgeText, overlayText } from './dev-panel.ts'

declare global {
  interface Window {
    pay?: string
    analytics?: string
    ran?: string
  }
}

interface UnderThirdParties {
  browser: Browser
  baseUrl: string
  hosts: ThirdPartyHosts
  site: EditedSite
}

const PATIENT = { timeout: 30_000 }
const EVERYTHING = ['analytics.js', 'api', 'collect', 'embed', 'fonts.css', 'frame', 'hosted.woff2', 'pay.js', 'report']

/** Registers the tests; `under` is called when they run. */
export function testThirdParties(isDevelopment: boolean, under: () => UnderThirdParties): void {
  const open = async (path: string) => {
    const { browser, baseUrl, hosts } = under()
    hosts.forget()
    const watched = await openPage(browser)
    await watched.page.goto(baseUrl + path)
    return watched
  }

  test('G6 O8 the policy allows what csp names: scripts, frames, requests, styles, fonts; and scripts of _document', async () => {
    const { page, faults, close } = await open('/third/allowed')
    await page.locator('#sent').getByText('sent sent sent').waitFor({ timeout: 60_000 })
    await expect.poll(under().hosts.requested, PATIENT).toEqual(EVERYTHING.map((name) => `/${name}`))
    await expect.poll(() => page.evaluate(() => [window.pay, window.analytics])).toEqual(['ready', 'ready'])
    const { theme, pay } = await page.evaluate(() => ({ ...document.documentElement.dataset }))
    expect(theme).toBe('dark')
    expect(pay).toMatch(/^http:/)
    expect(faults).toEqual([])
    await close()
  })

  if (isDevelopment)
    test('G6 V2 the badge names each resource that the policy blocks, until csp allows it, and nothing covers the page', async () => {
      const { hosts, site } = under()
      const { page, faults, close } = await open('/third/blocked')
      await page.locator('#sent').getByText('refused refused refused').waitFor({ timeout: 60_000 })
      // A stylesheet, two scripts, two frames, three requests.
      await expect.poll(() => faults.filter((text) => text.includes('violates the following')), PATIENT).toHaveLength(8)
      expect(hosts.requested()).toEqual([])
      await expect.poll(() => badgeText(page), PATIENT).toBe('8 warnings')
      expect(await overlayText(page)).toBe('')
      await page.locator('#portico-dev .badge').click()
      await expect
        .poll(() => overlayText(page), PATIENT)
        .toMatch(
          /The content security policy \(\S+\) blocked http:\/\/127\S+ Allow it in portico\.config\.ts: csp: \{ directives: \{ '\S+': \['http:\/\/127\.0\.0\.\d:\d+'\] \} \}/,
        )
      await site.edit('lib/csp.ts', '/third/allowed', '/third/[name]')
      await page.locator('#sent').getByText('sent sent sent').waitFor({ timeout: 60_000 })
      await expect.poll(() => badgeText(page), PATIENT).toBe('')
      await site.write('lib/csp.ts')
      await close()
    })

  test("G6 with 'strict-dynamic' a page starts its own scripts and those with the nonce, and no other", async () => {
    const { page, faults, documents, close } = await open('/third/strict')
    await hydrated(page, '#count', 60_000)
    await page.click('#count')
    await page.locator('#count').getByText('count 1').waitFor()
    expect(await page.evaluate(() => window.ran)).toBe('with a nonce')
    expect(faults).toEqual([expect.stringContaining('Executing inline script violates')])
    // The next page has another policy, which comes with its document only.
    await page.dispatchEvent('#allowed', 'click')
    await page.locator('#sent').getByText('sent sent sent').waitFor({ timeout: 60_000 })
    expect(documents.map((url) => new URL(url).pathname).filter((path) => path.startsWith('/third'))).toEqual([
      '/third/strict',
      '/third/allowed',
    ])
    await close()
  })
}
