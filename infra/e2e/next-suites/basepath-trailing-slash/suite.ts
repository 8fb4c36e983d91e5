// The suite of a base path with the slash at the end of paths.

import { expect } from 'vitest'
import { keepsQuery, returnsToMask } from '../basepath/shared.ts'
import type { Suite } from '../harness/suite.ts'

const configuration = 'basepath-trailing-slash'

export const basepathTrailingSlash: Suite = {
  name: 'basepath-trailing-slash',
  source: {
    repository: 'ijjk/next.js',
    commit: 'b591159d4699f9bad4766e24b65d8fa8b6cda37d',
    file: 'test/e2e/basepath-trailing-slash.test.ts',
  },
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
    {
      id: 'basepath-trailing-slash-3',
      does: 'goes back and forward over two pages of one address',
      configuration,
      via: 'browser',
      async run(site) {
        await returnsToMask(site, '/library/')
        expect(site.address()).toBe('/library/desk/')
      },
    },
  ],
}
