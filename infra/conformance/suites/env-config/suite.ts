// The suite of variables in `.env` files.

import { expect } from 'vitest'
import { behavioursOf } from '../../harness/behaviour.ts'
import { responses } from '../../harness/responses.ts'
import { notApplicable, type Suite, upstream } from '../../harness/suite.ts'

const suite = behavioursOf('env-config')

const SITE = '/env-config'
const configuration = 'with-app'
const edits = notApplicable('edits under development')

/** What each form of the site has: files of production before others, local files before those of all machines. */
const VALUES = {
  found: {
    HARBOUR: 'north',
    EMPTY_FIRST: '$later',
    LOCAL_WINS: 'local',
    PRODUCTION_WINS: 'production',
    PRODUCTION_LOCAL_WINS: 'production local',
    OTHER_MODES: 'first',
    REFERENCE: 'north',
    JOINED: 'port-north',
    ESCAPED: '$HARBOUR',
    QUOTED: 'stop!',
    ONLY_LOCAL: 'local',
    ONLY_PRODUCTION: 'production',
    pathIsOfFile: 'false',
  },
  inlined: { textOfConfig: 'from the file', ofConfig: 'set by the configuration', pier: 'second', nothing: '' },
}

export const envConfig: Suite = {
  name: 'env-config',
  source: upstream('test/integration/env-config/test/index.test.js'),
  tests: 9,
  rows: { 8: edits, 9: edits },
  behaviours: [
    ...responses(
      'env-config',
      {
        '1 takes a variable of the process before that of a file': { path: `${SITE}/static`, state: { props: { found: { pathIsOfFile: 'false' } } } },
        '2 gives the variables of the files to the configuration': { path: `${SITE}/pier`, status: 307, toPath: `${SITE}/second` },
        '4 gives the variables to a page with getStaticProps': { path: `${SITE}/static`, props: VALUES },
        '5 gives the variables to a page with getServerSideProps': { path: `${SITE}/server`, props: VALUES },
        '6 gives the variables to API handlers': { path: `/api${SITE}/values`, json: VALUES },
      },
      { configuration },
    ),
    suite.inBrowser(
      3,
      'inlines public variables and those of the configuration, an empty one as an empty text',
      async (site) => {
        await site.open(`${SITE}/static`)
        expect((await site.state()).props).toMatchObject({ inlined: VALUES.inlined })
        expect(site.faults).toEqual([])
      },
      { configuration, also: [7] },
    ),
  ],
}
