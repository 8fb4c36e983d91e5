// The suite of the query of a page while its data is missing.

import { expect } from 'vitest'
import { type BrowserSite, behavioursOf } from '../harness/behaviour.ts'
import { type Suite, upstream } from '../harness/suite.ts'

const AT = '/fallback-route-params'

const { overHttp, inBrowser } = behavioursOf('fallback-route-params')

const reason = 'a fallback is rendered for its path, so that its first render has the parameter'

const firstRender = (query: object) => async (site: BrowserSite) => {
  await site.page.goto(`${site.origin}${AT}/second`)
  await site.page.waitForSelector('#state')
  expect(await site.page.evaluate('window.firstQuery')).toEqual(query)
  expect((await site.state()).query).toEqual({ name: 'second' })
}

export const fallbackRouteParams: Suite = {
  name: 'fallback-route-params',
  source: upstream('test/integration/fallback-route-params/test/index.test.js'),
  tests: 2,
  rows: {},
  behaviours: [
    overHttp(1, 'has no query in the data element of a fallback', async (site) => {
      const found = /<script id="__NEXT_DATA__"[^>]*>(.*?)<\/script>/s.exec(await site.text(`${AT}/first`))
      const data = JSON.parse(found?.[1] ?? 'null') as { query?: object }
      expect(data).toMatchObject({ isFallback: true })
      expect(data.query).toEqual({})
    }),
    {
      ...inBrowser(2, 'has the parameter with the data', firstRender({})),
      differs: { reason, run: firstRender({ name: 'second' }) },
    },
  ],
}
