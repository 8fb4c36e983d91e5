// The suite of a rewrite after a page that has listed paths only.

import { expect } from 'vitest'
import { type BrowserSite, behavioursOf } from '../../harness/behaviour.ts'
import { responses } from '../../harness/responses.ts'
import { type Suite, upstream } from '../../harness/suite.ts'

const AT = '/fallback-false-rewrite'

const { inBrowser } = behavioursOf('fallback-false-rewrite')

const rewritten = (...path: string[]) => ({ pathname: `${AT}/other`, query: { path }, props: { isOther: true } })
const listed = (name: string) => ({ pathname: `${AT}/[name]`, query: { name }, props: { isListed: true } })

const hydrates = (path: string, state: object) => async (site: BrowserSite) => {
  await site.open(AT + path)
  await expect.poll(site.state, site.patience).toMatchObject(state)
  expect(site.documents).toHaveLength(1)
}

export const fallbackFalseRewrite: Suite = {
  name: 'fallback-false-rewrite',
  source: upstream('test/integration/fallback-false-rewrite/test/index.test.js'),
  tests: 7,
  rows: {},
  behaviours: [
    ...responses(
      'fallback-false-rewrite',
      {
        '1 rewrites a path that the page does not list': { path: '/any', status: 200, state: rewritten('any') },
        '2 rewrites a path below the page': { path: '/any/more', status: 200, state: rewritten('any', 'more') },
        '5 does not rewrite a listed path': { path: '/first', status: 200, state: listed('first') },
        '7 rewrites a path that is the pattern of the page': { path: '/[name]', status: 200, state: rewritten('[name]') },
      },
      { at: AT },
    ),
    inBrowser(3, 'hydrates a path that the page does not list', hydrates('/any', rewritten('any'))),
    inBrowser(4, 'hydrates a path below the page', hydrates('/any/more', rewritten('any', 'more'))),
    inBrowser(6, 'hydrates a listed path', hydrates('/second', listed('second'))),
  ],
}
