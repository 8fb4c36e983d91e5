// The suite of a rewrite after a page that has listed paths only.

import { expect } from 'vitest'
import { type BrowserSite, behavioursOf, type HttpSite } from '../harness/behaviour.ts'
import { type Suite, upstream } from '../harness/suite.ts'

const AT = '/fallback-false-rewrite'

const { overHttp, inBrowser } = behavioursOf('fallback-false-rewrite')

const rewritten = (...path: string[]) => ({ pathname: `${AT}/other`, query: { path }, props: { isOther: true } })
const listed = (name: string) => ({ pathname: `${AT}/[name]`, query: { name }, props: { isListed: true } })

const responds = (path: string, state: object) => async (site: HttpSite) => {
  expect((await site.fetch(AT + path)).status).toBe(200)
  expect(await site.stateOf(AT + path)).toMatchObject(state)
}

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
    overHttp(1, 'rewrites a path that the page does not list', responds('/any', rewritten('any'))),
    overHttp(2, 'rewrites a path below the page', responds('/any/more', rewritten('any', 'more'))),
    inBrowser(3, 'hydrates a path that the page does not list', hydrates('/any', rewritten('any'))),
    inBrowser(4, 'hydrates a path below the page', hydrates('/any/more', rewritten('any', 'more'))),
    overHttp(5, 'does not rewrite a listed path', responds('/first', listed('first'))),
    inBrowser(6, 'hydrates a listed path', hydrates('/second', listed('second'))),
    overHttp(7, 'rewrites a path that is the pattern of the page', responds('/[name]', rewritten('[name]'))),
  ],
}
