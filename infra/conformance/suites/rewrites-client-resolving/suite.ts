// The suite of links to pages below rewrites that fit every path.

import { expect } from 'vitest'
import { type BrowserSite, behavioursOf } from '../../harness/behaviour.ts'
import { type Suite, upstream } from '../../harness/suite.ts'

const AT = '/rewrites-client-resolving'

const { inBrowser } = behavioursOf('rewrites-client-resolving')

const leadsTo = (link: string, pathname: string, query: object) => async (site: BrowserSite) => {
  await site.open(AT)
  await site.page.click(`#${link}`)
  await expect.poll(site.state, site.patience).toMatchObject({ pathname: AT + pathname, query })
  expect(site.documents).toHaveLength(1)
}

export const rewritesClientResolving: Suite = {
  name: 'rewrites-client-resolving',
  source: upstream('test/integration/rewrites-client-resolving/test/index.test.js'),
  tests: 5,
  rows: {},
  behaviours: [
    inBrowser(1, 'leads to a page with a parameter', leadsTo('thing', '/things/[thing]', { thing: 'first' })),
    inBrowser(2, 'leads to a page', leadsTo('things', '/things', {})),
    inBrowser(3, 'leads to a catch-all page', leadsTo('group-one', '/group/[...path]', { path: ['first'] })),
    inBrowser(4, 'leads to a catch-all page with two segments', leadsTo('group-two', '/group/[...path]', { path: ['first', 'second'] })),
    inBrowser(5, 'leads to the page of the folder to which a rewrite leads', leadsTo('group', '/group', {})),
  ],
}
