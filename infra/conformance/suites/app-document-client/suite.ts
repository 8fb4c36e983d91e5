// The suite of _document and _app in a browser.

import { expect } from 'vitest'
import type { Behaviour, BrowserSite, Run } from '../../harness/behaviour.ts'
import { notApplicable, type Suite, upstream } from '../../harness/suite.ts'

const AT = '/app-document'

function inBrowser(number: number, does: string, run: Run<BrowserSite>): Behaviour {
  return { id: `app-document-client-${number}`, does, configuration: 'app', via: 'browser', run }
}

export const appDocumentClient: Suite = {
  name: 'app-document-client',
  source: upstream('test/integration/app-document/test/client.js'),
  tests: 4,
  rows: {
    1: notApplicable('edits a file while the development server of Next.js runs'),
    2: notApplicable('edits a file while the development server of Next.js runs'),
  },
  behaviours: [
    inBrowser(3, 'keeps the state of the app in a navigation', async (site) => {
      await site.open(AT, '#to-paths')
      const plank = () => site.page.textContent('#plank')
      await expect.poll(plank, site.patience).not.toBe('')
      const before = await plank()
      await site.page.click('#to-paths')
      await expect.poll(site.state, site.patience).toMatchObject({ pathname: `${AT}/paths` })
      expect(await plank()).toBe(before)
      expect(site.documents).toHaveLength(1)
    }),
    inBrowser(4, 'shares the state of a module between app and page', async (site) => {
      // Not the text of the server, which hydration keeps: that of a navigation.
      await site.open(AT)
      await site.page.evaluate(`void next.router.push('${AT}/season')`)
      await expect.poll(() => site.page.textContent('#season'), site.patience).toBe('grown')
    }),
  ],
}
