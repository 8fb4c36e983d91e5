// The suite of what a screen reader is given when a client navigates.

import { expect } from 'vitest'
import { type BrowserSite, behavioursOf } from '../../harness/behaviour.ts'
import { type Suite, upstream } from '../../harness/suite.ts'

const AT = '/client-navigation-a11y'

const { inBrowser } = behavioursOf('client-navigation-a11y')

/** The element whose text screen readers read when it changes. */
const region = ({ page }: BrowserSite) => page.locator('[aria-live=assertive]')

const announces = (link: string, text: string) => async (site: BrowserSite) => {
  await site.open(AT)
  await site.page.click(`#${link}`)
  await expect.poll(() => region(site).textContent(), site.patience).toBe(text)
}

const hasRole = (role: string | null) => async (site: BrowserSite) => {
  await site.open(AT)
  await expect.poll(() => region(site).count(), site.patience).toBe(1)
  expect(await region(site).getAttribute('role')).toBe(role)
}

export const clientNavigationA11y: Suite = {
  name: 'client-navigation-a11y',
  source: upstream('test/integration/client-navigation-a11y/test/index.test.js'),
  tests: 6,
  rows: {},
  behaviours: [
    inBrowser(1, 'announces nothing for the first page', async (site) => {
      await site.open(AT)
      await expect.poll(() => region(site).count(), site.patience).toBe(1)
      expect(await region(site).textContent()).toBe('')
    }),
    {
      ...inBrowser(2, 'announces as an alert', hasRole('alert')),
      differs: { reason: 'aria-live says the same, and sites look for their own alerts by role', run: hasRole(null) },
    },
    inBrowser(3, 'announces the title of a page without a heading', announces('title', 'A title alone')),
    inBrowser(4, 'announces the heading of a page without a title', announces('heading', 'A heading alone')),
    inBrowser(5, 'announces the title of a page with both', announces('both', 'The title of both')),
    inBrowser(6, 'announces the path of a page with neither', announces('neither', `${AT}/neither`)),
  ],
}
