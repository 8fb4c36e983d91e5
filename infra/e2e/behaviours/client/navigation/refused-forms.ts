// Forms that could not be sent: the message to the client, and what the client may do then.

import { testAtLength } from '@portico/shared/kit/testing/runs.ts'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import type { NavigationSite } from './site.ts'

const ACTIONS_CODE = /static\/framework-actions-.*\.js/

export function describeRefusedForms(site: () => NavigationSite): void {
  const submit = async (page: Page, field: string) => {
    await page.fill(field, 'typed by hand')
    await page.click('form [type=submit]')
  }
  const notice = (page: Page, text: string) => page.locator('#portico-notice', { hasText: text }).waitFor()

  describe('forms that could not be sent', () => {
    test('A5 the code that posts is missing: the page is out of date, the site unavailable, or the client offline', async () => {
      const { page, close } = await site().open('/form')
      let isAway = false
      await page.route(/.*/, (route) =>
        isAway || ACTIONS_CODE.test(route.request().url()) ? route.abort() : route.continue(),
      )
      await submit(page, '#note')
      await notice(page, 'This page is out of date.')
      isAway = true
      await submit(page, '#note')
      await notice(page, 'The site cannot be reached.')
      await page.context().setOffline(true)
      await submit(page, '#note')
      await notice(page, 'You are offline.')
      expect(await page.inputValue('#note')).toBe('typed by hand')
      await page.context().setOffline(false)
      isAway = false
      await page.unroute(/.*/)
      await close()
    })

    testAtLength('A5 a client may clear a form that was refused', async () => {
      for (const [path, field] of [
        ['/own-submit', '[name=note]'],
        ['/form', '#note'],
      ] as const) {
        const { page, close } = await site().open(path)
        await page.focus(field)
        await page.waitForLoadState('networkidle')
        // A button of the client's kind, where the page has none.
        await page.evaluate(() => {
          const form = document.querySelector('form')
          if (form?.querySelector('[type=reset]')) return
          const button = document.createElement('button')
          button.type = 'reset'
          form?.append(button)
        })
        await page.context().setOffline(true)
        await submit(page, field)
        await notice(page, 'You are offline.')
        await page.waitForTimeout(100)
        expect(await page.inputValue(field)).toBe('typed by hand')
        await page.evaluate(() => document.querySelector<HTMLButtonElement>('[type=reset]')?.click())
        await expect.poll(() => page.inputValue(field)).toBe('')
        await close()
      }
    })
  })
}
