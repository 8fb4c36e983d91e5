// Behaviours that a base path has with and without the slash at the end of paths.

import { expect } from 'vitest'
import type { BrowserSite } from '../../harness/behaviour.ts'

/** The page keeps its document and its query after hydration. */
export async function keepsQuery(site: BrowserSite, address: string, pathname: string): Promise<void> {
  await site.open(address)
  await expect.poll(site.state, site.patience).toMatchObject({ pathname, query: { open: 'yes' } })
  expect(site.address()).toBe(address)
  expect(site.documents).toHaveLength(1)
}

/** The cellar has the address of the desk (`as`): back leads to the index, which came before both, and forward to the cellar. */
export async function returnsToMask(site: BrowserSite, index: string): Promise<void> {
  const shows = (heading: string) => site.page.getByRole('heading', { name: heading }).waitFor()
  await site.open(index)
  await site.page.click('#desk')
  await shows('Desk')
  await site.page.click('#cellar')
  await shows('Cellar')
  await site.page.goBack()
  await shows('Library')
  await site.page.goForward()
  await shows('Cellar')
}
