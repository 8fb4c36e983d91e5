// The suite of `next/head`.

import { expect } from 'vitest'
import { behavioursOf } from '../harness/behaviour.ts'
import { type Suite, upstream } from '../harness/suite.ts'

const AT = '/next-head'
const PARTS = ['part-one', 'part-two', 'part-three', 'part-four']

const { overHttp, inBrowser } = behavioursOf('next-head')

export const nextHead: Suite = {
  name: 'next-head',
  source: upstream('test/e2e/next-head/index.test.ts'),
  tests: 5,
  rows: {},
  behaviours: [
    inBrowser(1, 'has the charset and the viewport before the elements of the page', async (site) => {
      await site.open(AT)
      const metas = await site.page
        .locator('head meta[data-next-head]')
        .evaluateAll((found) =>
          found.map((meta) => meta.getAttribute('name') ?? `charset ${meta.getAttribute('charset')}`),
        )
      expect(metas.slice(0, 3)).toEqual(['charset utf-8', 'viewport', 'part-one'])
    }),
    overHttp(2, 'has the elements of the page and of its components', async (site) => {
      const html = await site.text(AT)
      for (const name of PARTS) expect(html).toMatch(new RegExp(`<meta name="${name}" content="of a? ?`))
    }),
    overHttp(3, 'has the elements of a fragment', async (site) => {
      expect(await site.text(AT)).toContain('<meta name="part-in-fragment" content="of a fragment"')
    }),
    inBrowser(4, 'has these elements after hydration, once', async (site) => {
      await site.open(AT)
      for (const name of PARTS) expect(await site.page.locator(`meta[name=${name}]`).count()).toBe(1)
    }),
    overHttp(
      5,
      'has the elements that getInitialProps of the document adds',
      async (site) => {
        expect(await site.text('/probe')).toContain('<meta name="part-of-document" content="of the document"')
      },
      { configuration: 'frame' },
    ),
  ],
}
