// The suite of `next/head`.

import { expect } from 'vitest'
import { behavioursOf } from '../../harness/behaviour.ts'
import { responses } from '../../harness/responses.ts'
import { type Suite, upstream } from '../../harness/suite.ts'

const AT = '/next-head'
const PARTS = ['part-one', 'part-two', 'part-three', 'part-four']

const { inBrowser } = behavioursOf('next-head')

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
        .evaluateAll((found) => found.map((meta) => meta.getAttribute('name') ?? `charset ${meta.getAttribute('charset')}`))
      expect(metas.slice(0, 3)).toEqual(['charset utf-8', 'viewport', 'part-one'])
    }),
    ...responses('next-head', {
      '2 has the elements of the page and of its components': { path: AT, text: PARTS.map((name) => new RegExp(`<meta name="${name}" content="of a? ?`)) },
      '3 has the elements of a fragment': { path: AT, text: '<meta name="part-in-fragment" content="of a fragment"' },
      '5 has the elements that getInitialProps of the document adds': {
        configuration: 'frame',
        path: '/probe',
        text: '<meta name="part-of-document" content="of the document"',
      },
    }),
    inBrowser(4, 'has these elements after hydration, once', async (site) => {
      await site.open(AT)
      for (const name of PARTS) expect(await site.page.locator(`meta[name=${name}]`).count()).toBe(1)
    }),
  ],
}
