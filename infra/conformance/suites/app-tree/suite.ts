// The suite of AppTree: the app around a page, for getInitialProps.

import { expect } from 'vitest'
import { behavioursOf } from '../../harness/behaviour.ts'
import { responses } from '../../harness/responses.ts'
import { type Suite, upstream } from '../../harness/suite.ts'

const suite = behavioursOf('app-tree')

const AT = '/app-tree'

export const appTree: Suite = {
  name: 'app-tree',
  source: upstream('test/integration/app-tree/test/index.test.js'),
  tests: 3,
  rows: {},
  behaviours: [
    ...responses(
      'app-tree',
      {
        '1 has the router in a tree that the server renders': {
          requests: [
            { path: '', text: /<pre id="tree">.*row .*\/app-tree&lt;/ },
            { path: '/second', text: /<pre id="tree">.*row .*\/app-tree\/second&lt;/ },
          ],
        },
        '3 gives the tree to getInitialProps of a page': { path: '/greeting', text: /<pre id="kept">.*Leaves of .*clover/ },
      },
      { at: AT, configuration: 'app' },
    ),
    suite.inBrowser(
      2,
      'has the router of the page shown in a tree that the browser renders',
      async (site) => {
        const tree = async () => [await site.page.textContent('main > em'), await site.page.textContent('#tree')]
        const row = (path: string) => `<em>row ${path}</em>`
        await site.open(AT, '#second')
        await site.page.click('#second')
        await expect.poll(tree, site.patience).toEqual([`row ${AT}/second`, expect.stringContaining(row(AT))])
        await site.page.click('#first')
        await expect.poll(tree, site.patience).toEqual([`row ${AT}`, expect.stringContaining(row(`${AT}/second`))])
        expect(site.documents).toHaveLength(1)
      },
      { configuration: 'app' },
    ),
  ],
}
