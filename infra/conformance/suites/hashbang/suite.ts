// The suite of modules whose first line names a program.

import { expect } from 'vitest'
import { behavioursOf } from '../../harness/behaviour.ts'
import { responses } from '../../harness/responses.ts'
import { type Suite, upstream } from '../../harness/suite.ts'

const { inBrowser } = behavioursOf('hashbang')

export const hashbang: Suite = {
  name: 'hashbang',
  source: upstream('test/integration/hashbang/test/index.test.js'),
  tests: 3,
  rows: {},
  behaviours: [
    ...responses('hashbang', {
      '1 reads a module that ends in .js': { path: '/hashbang', state: { props: { plain: 11 } } },
      '2 reads a module that ends in .mjs': { path: '/hashbang', state: { props: { module: 12 } } },
    }),
    inBrowser(3, 'reads a module that ends in .cjs, also in the browser', async (site) => {
      await site.open('/hashbang')
      expect((await site.state()).props).toEqual({ plain: 11, module: 12, common: 13 })
      expect(site.faults).toEqual([])
    }),
  ],
}
