// The suite of links to rewrites with conditions.

import { expect } from 'vitest'
import { type BrowserSite, behavioursOf } from '../../harness/behaviour.ts'
import { type Suite, upstream } from '../../harness/suite.ts'

const AT = '/rewrites-has-condition'

const { inBrowser } = behavioursOf('rewrites-has-condition')

const leadsToTarget = (link: string, query: object) => async (site: BrowserSite) => {
  await site.open(AT)
  await site.page.click(`#${link}`)
  await expect.poll(site.state, site.patience).toMatchObject({ pathname: `${AT}/target` })
  expect((await site.state()).query).toEqual(query)
  expect(site.documents).toHaveLength(1)
}

export const rewritesHasCondition: Suite = {
  name: 'rewrites-has-condition',
  source: upstream('test/integration/rewrites-has-condition/test/index.test.js'),
  tests: 2,
  rows: {},
  behaviours: [
    inBrowser(1, 'navigates to a page behind a rewrite', leadsToTarget('plain', {})),
    inBrowser(2, 'navigates to a page behind a rewrite with a condition', leadsToTarget('with-query', { kind: 'any' })),
  ],
}
