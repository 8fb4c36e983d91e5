// The overlay and the badge of a page under development, as its tests read them.

import axe, { type AxeResults } from 'axe-core'
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

/** What axe-core finds wrong in badge and overlay. */
export async function panelFaults(page: Page): Promise<string[]> {
  await page.evaluate(axe.source)
  const { violations, passes } = await page.evaluate(() =>
    (window as unknown as { axe: { run: (node: unknown) => Promise<AxeResults> } }).axe.run('#portico-dev'),
  )
  // An empty look finds nothing. (Contrast is left out: axe-core cannot measure it in a modal dialog.)
  if (!passes.some(({ id }) => id === 'button-name')) return ['axe-core saw no button']
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id} at ${target}: ${failureSummary}`),
  )
}
