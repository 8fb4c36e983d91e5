// The suite of page data that a new release has removed.

import { expect } from 'vitest'
import { behavioursOf } from '../../harness/behaviour.ts'
import { notApplicable, type Suite, upstream } from '../../harness/suite.ts'

const AT = '/ssg-data-404'

const { inBrowser } = behavioursOf('ssg-data-404')

export const ssgData404: Suite = {
  name: 'ssg-data-404',
  source: upstream('test/integration/ssg-data-404/test/index.test.js'),
  tests: 2,
  rows: { 1: notApplicable('a test that another system skips') },
  behaviours: [
    inBrowser(2, 'loads a document where the data of a page is missing', async (site) => {
      await site.open(AT)
      await site.page.route(/\/(_next|_portico)\/data\//, (route) => route.fulfill({ status: 404, body: 'gone' }))
      for (const [index, name] of ['made', 'each-time'].entries()) {
        await site.page.evaluate(`void next.router.push('${AT}/${name}')`)
        await expect.poll(() => site.documents.length, site.patience).toBe(index + 2)
        await expect.poll(site.state, site.patience).toMatchObject({ pathname: `${AT}/${name}` })
        await site.page.waitForFunction('window.next?.router')
      }
    }),
  ],
}
