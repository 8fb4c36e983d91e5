// The suite of a base path with the slash at the end of paths.

import { expect } from 'vitest'
import { behavioursOf } from '../../harness/behaviour.ts'
import { type Suite, upstream } from '../../harness/suite.ts'
import { keepsQuery, returnsToMask } from '../basepath/shared.ts'

const suite = behavioursOf('basepath-trailing-slash')

const configuration = 'basepath-trailing-slash'

export const basepathTrailingSlash: Suite = {
  name: 'basepath-trailing-slash',
  source: upstream('test/e2e/basepath-trailing-slash.test.ts'),
  tests: 3,
  rows: {},
  behaviours: [
    {
      ...{ id: 'basepath-trailing-slash-1', does: 'keeps the query of a page', configuration },
      via: 'browser',
      run: (site) => keepsQuery(site, '/library/desk/?open=yes', '/desk'),
    },
    {
      ...{ id: 'basepath-trailing-slash-2', does: 'keeps the query of the index page', configuration },
      via: 'browser',
      run: (site) => keepsQuery(site, '/library/?open=yes', '/'),
    },
    suite.inBrowser(
      3,
      'goes back and forward over two pages of one address',
      async (site) => {
        await returnsToMask(site, '/library/')
        expect(site.address()).toBe('/library/desk/')
      },
      { configuration },
    ),
  ],
}
