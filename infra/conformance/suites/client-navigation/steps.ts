// Steps that the behaviours of client navigation have in common.

import { expect } from 'vitest'
import type { Behaviour, BrowserSite } from '../../harness/behaviour.ts'

export const AT = '/client-navigation'

/** A behaviour of the browser that proves several tests: the first number is that of its id. */
export function browser([number, ...also]: readonly [number, ...number[]], does: string, run: (site: BrowserSite) => Promise<void>): Behaviour {
  return { id: `client-navigation-${number}`, does, also, via: 'browser', run }
}

/** Waits until the page shows a part of its state. */
export async function shows(site: BrowserSite, expected: object): Promise<void> {
  await expect.poll(site.state, site.patience).toMatchObject(expected)
}

/** Waits until the page is another one. */
export const showsPage = (site: BrowserSite, name: string) => shows(site, { pathname: AT + (name && `/${name}`) })

/** The browser has loaded one document, and no error was reported. */
export function expectOneDocument(site: BrowserSite): void {
  expect(site.documents).toHaveLength(1)
  expect(site.faults).toEqual([])
}

export const scrolled = ({ page }: BrowserSite) => page.evaluate(() => Math.round(window.scrollY))

/** Waits until the page is scrolled to its beginning. */
export async function isAtTop(site: BrowserSite): Promise<void> {
  await expect.poll(() => scrolled(site), site.patience).toBe(0)
}

/** Waits until an element is at the upper edge of the window. */
export async function isScrolledTo(site: BrowserSite, selector: string): Promise<void> {
  const distance = () =>
    site.page.evaluate((wanted) => {
      const top = document.querySelector(wanted)?.getBoundingClientRect().top
      return top === undefined || window.scrollY === 0 ? Number.NaN : Math.abs(top)
    }, selector)
  await expect.poll(distance, site.patience).toBeLessThan(2)
}
