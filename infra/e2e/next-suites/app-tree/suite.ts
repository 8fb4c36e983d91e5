// The suite of AppTree: the app around a page, for getInitialProps.

import { expect } from 'vitest'
import type { Suite } from '../harness/suite.ts'

const AT = '/app-tree'

export const appTree: Suite = {
  name: 'app-tree',
  source: {
    repository: 'ijjk/next.js',
    commit: 'b591159d4699f9bad4766e24b65d8fa8b6cda37d',
    file: 'test/integration/app-tree/test/index.test.js',
  },
  tests: 3,
  rows: {},
  behaviours: [
    {
      id: 'app-tree-1',
      does: 'has the router in a tree that the server renders',
      configuration: 'app',
      via: 'http',
      async run(site) {
        expect(await site.text(AT)).toMatch(/<pre id="tree">.*row .*\/app-tree&lt;/)
        expect(await site.text(`${AT}/second`)).toMatch(/<pre id="tree">.*row .*\/app-tree\/second&lt;/)
      },
    },
    {
      id: 'app-tree-2',
      does: 'has the router of the page shown in a tree that the browser renders',
      configuration: 'app',
      via: 'browser',
      async run(site) {
        const tree = async () => [await site.page.textContent('main > em'), await site.page.textContent('#tree')]
        const row = (path: string) => `<em>row ${path}</em>`
        await site.open(AT, '#second')
        await site.page.click('#second')
        await expect.poll(tree, site.patience).toEqual([`row ${AT}/second`, expect.stringContaining(row(AT))])
        await site.page.click('#first')
        await expect.poll(tree, site.patience).toEqual([`row ${AT}`, expect.stringContaining(row(`${AT}/second`))])
        expect(site.documents).toHaveLength(1)
      },
    },
    {
      id: 'app-tree-3',
      does: 'gives the tree to getInitialProps of a page',
      configuration: 'app',
      via: 'http',
      async run(site) {
        expect(await site.text(`${AT}/greeting`)).toMatch(/<pre id="kept">.*Leaves of .*clover/)
      },
    },
  ],
}
