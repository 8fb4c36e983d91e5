// The log-in recipe in Chromium: what is left on the screen and in the browser's memory after a sign-out.

import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hydrated } from '../../harness/chromium.ts'
import { connectChromium, MEMBER } from '../../harness/shared.ts'
import { PASSWORD } from '../../sites/members.ts'
import { createActionPages } from './actions-site.ts'

/** Registers the tests; they need the fixture's pages and MEMBERS. */
export function describeSignIn(where: string, baseUrl: () => string): void {
  let browser: Browser
  const { open } = createActionPages(baseUrl, () => browser)

  beforeAll(async () => {
    browser = await connectChromium({ keepsPages: true })
  })
  afterAll(() => browser?.close())

  describe(`signing in ${where}`, () => {
    test('A1 stays on one document from the form to the page and out again', async () => {
      const { page, documents, faults, close } = await open('/sign-in?next=%2Faccount', 'form')
      await page.fill('#name', MEMBER)
      await page.fill('#password', 'wrong')
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.locator('[role=status]', { hasText: 'do not fit' }).waitFor()
      await expect
        .poll(() => Promise.all(['#name', '#password'].map((field) => page.inputValue(field))))
        .toEqual([MEMBER, ''])
      await page.fill('#password', PASSWORD)
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.locator('#member', { hasText: MEMBER }).waitFor()
      await page.fill('#shown-as', 'Member of the club')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.locator('[role=status]', { hasText: 'Saved.' }).waitFor()
      await expect.poll(() => page.textContent('#member')).toBe('Member of the club')
      // A message is shown once.
      await page.getByRole('link', { name: 'About' }).click()
      await page.waitForURL('**/about')
      await page.goBack()
      await page.locator('#member', { hasText: 'Member of the club' }).waitFor()
      await expect.poll(() => page.textContent('[role=status]')).toBe('')
      await page.getByRole('button', { name: 'Sign out', exact: true }).click()
      await page.waitForURL('**/sign-in')
      await page.locator('#password').waitFor()
      expect(documents).toHaveLength(1)
      expect(faults).toEqual([])
      await close()
    })

    test('P4 shows nothing of a signed-out member after a step back', async () => {
      const { page, close } = await open('/sign-in', 'form')
      await page.fill('#name', MEMBER)
      await page.fill('#password', PASSWORD)
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.locator('#member', { hasText: MEMBER }).waitFor()
      await page.getByRole('link', { name: 'About' }).click()
      await page.waitForURL('**/about')
      const other = await page.context().newPage()
      await other.goto(`${baseUrl()}/account`)
      await hydrated(other, 'form')
      await other.getByRole('button', { name: 'Sign out', exact: true }).click()
      await other.locator('#password').waitFor()
      // Within this document, and to a document that was left.
      await page.goBack()
      await page.locator('#password').waitFor()
      await expect.poll(() => page.locator('#member').count()).toBe(0)
      await page.goto(`${baseUrl()}/about`)
      await page.goBack()
      await page.locator('#password').waitFor()
      await expect.poll(() => page.locator('#member').count()).toBe(0)
      await close()
    })
  })
}
