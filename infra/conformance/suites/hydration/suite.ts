// The suite of hydration at unusual addresses of the first page.

import { expect } from 'vitest'
import { behavioursOf } from '../../harness/behaviour.ts'
import { type Suite, upstream } from '../../harness/suite.ts'

const { inBrowser } = behavioursOf('hydration')

export const hydration: Suite = {
  name: 'hydration',
  source: upstream('test/integration/hydration/test/index.test.js'),
  tests: 3,
  rows: {},
  behaviours: [
    inBrowser(1, 'hydrates the first page', async (site) => {
      await site.open('/', '#mounted')
      expect(site.faults).toEqual([])
    }),
    inBrowser(
      2,
      'hydrates it at two slashes, and navigates from there',
      async (site) => {
        await site.open('//', '#mounted')
        const { length } = site.documents
        await site.page.evaluate(`void next.router.push('/hydration/details')`)
        await expect.poll(site.state, site.patience).toMatchObject({ pathname: '/hydration/details' })
        expect(site.documents).toHaveLength(length)
      },
      { also: [3] },
    ),
  ],
}
