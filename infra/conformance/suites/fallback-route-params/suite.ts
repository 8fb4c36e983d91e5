// The suite of the query of a page while its data is missing.

import { expect } from 'vitest'
import { behavioursOf } from '../../harness/behaviour.ts'
import { type Suite, upstream } from '../../harness/suite.ts'

const AT = '/fallback-route-params'

const { overHttp, inBrowser } = behavioursOf('fallback-route-params')

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
    inBrowser(2, 'has the parameter with the data', async (site) => {
      // No run has made this page before.
      const name = `second-${Date.now()}`
      await site.page.goto(`${site.origin}${AT}/${name}`)
      await expect.poll(async () => (await site.state()).query, site.patience).toEqual({ name })
      expect(await site.page.evaluate('window.firstQuery')).toEqual({})
    }),
  ],
}
