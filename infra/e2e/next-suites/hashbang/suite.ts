// The suite of modules whose first line names a program.

import { expect } from 'vitest'
import { behavioursOf } from '../harness/behaviour.ts'
import { type Suite, upstream } from '../harness/suite.ts'

const { overHttp, inBrowser } = behavioursOf('hashbang')

const has = (number: number, does: string, props: object) =>
  overHttp(number, does, async (site) => expect((await site.stateOf('/hashbang')).props).toMatchObject(props))

export const hashbang: Suite = {
  name: 'hashbang',
  source: upstream('test/integration/hashbang/test/index.test.js'),
  tests: 3,
  rows: {},
  behaviours: [
    has(1, 'reads a module that ends in .js', { plain: 11 }),
    has(2, 'reads a module that ends in .mjs', { module: 12 }),
    inBrowser(3, 'reads a module that ends in .cjs, also in the browser', async (site) => {
      await site.open('/hashbang')
      expect((await site.state()).props).toEqual({ plain: 11, module: 12, common: 13 })
      expect(site.faults).toEqual([])
    }),
  ],
}
