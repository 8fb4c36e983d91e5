// The suite of middleware in a site whose paths end with a slash.

import { expect } from 'vitest'
import type { Behaviour, BrowserSite } from '../../harness/behaviour.ts'
import { DEVELOPMENT, FILE, notApplicable, type Suite, upstream } from '../../harness/suite.ts'
import { browser } from '../middleware-general/browser.ts'
import { http } from '../middleware-general/http.ts'
import { inBrowser, overHttp, type SuitePlace } from '../middleware-general/place.ts'

const NAME = 'middleware-trailing-slash'
const AT = `/${NAME}`

/** The numbers of the same tests in both files. */
const PLACE: SuitePlace = {
  suite: NAME,
  configuration: NAME,
  end: '/',
  numbers: {
    ...Object.fromEntries([11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21].map((number) => [number, number])),
    ...{ 28: 22, 38: 23, 39: 24, 40: 25, 41: 26, 43: 27 },
  },
}

/** Three tests of one path: its document over HTTP, in the browser, and a link to it. */
function shows(first: number, does: string, words: readonly string[], link: string): Behaviour[] {
  const path = [`${AT}/wares`, ...words].join('/')
  const state = { pathname: `${AT}/wares/[...words]`, props: { params: { words } } }
  const inOne = (number: number, how: string, run: (site: BrowserSite) => Promise<void>): Behaviour => ({
    id: `${NAME}-${number}`,
    does: `${does} ${how}`,
    via: 'browser',
    configuration: NAME,
    async run(site) {
      await run(site)
      await expect.poll(site.state, site.patience).toMatchObject(state)
    },
  })
  return [
    {
      id: `${NAME}-${first}`,
      does: `${does} over HTTP`,
      via: 'http',
      configuration: NAME,
      async run(site) {
        const { headers } = await site.fetch(path)
        const location = headers.get('location')
        expect(await site.stateOf(location ? new URL(location, site.origin).pathname : path)).toMatchObject(state)
      },
    },
    inOne(first + 1, 'as a document', (site) => site.open(path)),
    inOne(first + 2, 'by a link', async (site) => {
      await site.open(`${AT}/links/`)
      await site.page.click(link)
    }),
  ]
}

export const middlewareTrailingSlash: Suite = {
  name: NAME,
  source: upstream('test/e2e/middleware-trailing-slash/test/index.test.ts'),
  tests: 27,
  rows: { 7: DEVELOPMENT, 8: FILE, 9: FILE, 10: notApplicable('a header of its own with a token of the build, which goes round middleware') },
  behaviours: [
    ...shows(1, 'shows a page whose last part looks like the name of a file', ['polo_2.0', '7.html'], '#file'),
    ...shows(4, 'shows a page with a dot in a part', ['polo_2.0', '7'], '#plain'),
    ...overHttp(http, PLACE),
    ...inBrowser(browser, PLACE),
  ],
}
