// The suite of pages without data functions.

import { expect } from 'vitest'
import { behavioursOf } from '../../harness/behaviour.ts'
import { responses } from '../../harness/responses.ts'
import { notApplicable, type Suite, upstream } from '../../harness/suite.ts'

const AT = '/auto-export'

const { inBrowser } = behavioursOf('auto-export')

const shown = (path: string, text: string) => ({ path, text: [`<h1 id="state">${text}</h1>`, '"nextExport":true'] })

export const autoExport: Suite = {
  name: 'auto-export',
  source: upstream('test/integration/auto-export/test/index.test.js'),
  tests: 6,
  rows: { 6: notApplicable('a warning of the development build') },
  behaviours: [
    ...responses(
      'auto-export',
      {
        '1 renders a page that is the exports of a CommonJS module': shown('/function', 'A function'),
        '2 renders an arrow function as such a page': shown('/arrow', 'An arrow'),
      },
      { at: AT },
    ),
    inBrowser(3, 'has the parameter after hydration', async (site) => {
      await site.open(`${AT}/one`)
      await expect.poll(site.state, site.patience).toMatchObject({ query: { post: 'one' } })
      expect(await site.text(`${AT}/one`)).toContain('"nextExport":true')
    }),
    inBrowser(
      4,
      'has its path after hydration, and no other one in the address bar',
      async (site) => {
        const path = `${AT}/one/two`
        await site.open(path)
        await expect.poll(site.state, site.patience).toMatchObject({ asPath: path })
        const paths = await site.page.evaluate('window.paths')
        expect([...new Set(paths as string[])]).toEqual([path])
      },
      { also: [5] },
    ),
  ],
}
