// The overlay and the badge of a page under development, as its tests read them.

import type { Page } from 'playwright-core'

/** Text of the overlay that is open; empty while there is none. */
export function overlayText(page: Page): Promise<string> {
  return page.evaluate(() => {
    const dialog = document.getElementById('portico-dev')?.shadowRoot?.querySelector('dialog')
    return dialog?.open ? dialog.innerText : ''
  })
}

/** Text of the badge; empty while it is hidden. */
export function badgeText(page: Page): Promise<string> {
  return page.evaluate(() => {
    const badge = document.getElementById('portico-dev')?.shadowRoot?.querySelector<HTMLElement>('.badge')
    return badge && !badge.hidden ? badge.innerText : ''
  })
}
