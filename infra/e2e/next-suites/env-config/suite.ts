// The suite of variables in `.env` files.

import { expect } from 'vitest'
import type { Behaviour, HttpSite } from '../harness/behaviour.ts'
import { notApplicable, type Suite, upstream } from '../harness/suite.ts'

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

function http(number: number, does: string, run: (site: HttpSite) => Promise<void>): Behaviour {
  return { id: `env-config-${number}`, does, via: 'http', configuration, run }
}

const propsOf = async (site: HttpSite, name: string) => (await site.stateOf(`${SITE}/${name}`)).props

export const envConfig: Suite = {
  name: 'env-config',
  source: upstream('test/integration/env-config/test/index.test.js'),
  tests: 9,
  rows: { 8: edits, 9: edits },
  behaviours: [
    http(1, 'takes a variable of the process before that of a file', async (site) => {
      expect(await propsOf(site, 'static')).toMatchObject({ found: { pathIsOfFile: 'false' } })
    }),
    http(2, 'gives the variables of the files to the configuration', async (site) => {
      const response = await site.fetch(`${SITE}/pier`)
      expect(response.status).toBe(307)
      expect(new URL(response.headers.get('location') ?? '', site.origin).pathname).toBe(`${SITE}/second`)
    }),
    {
      id: 'env-config-3',
      also: [7],
      does: 'inlines public variables and those of the configuration, an empty one as an empty text',
      via: 'browser',
      configuration,
      run: async (site) => {
        await site.open(`${SITE}/static`)
        expect((await site.state()).props).toMatchObject({ inlined: VALUES.inlined })
        expect(site.faults).toEqual([])
      },
    },
    http(4, 'gives the variables to a page with getStaticProps', async (site) => {
      expect(await propsOf(site, 'static')).toEqual(VALUES)
    }),
    http(5, 'gives the variables to a page with getServerSideProps', async (site) => {
      expect(await propsOf(site, 'server')).toEqual(VALUES)
    }),
    http(6, 'gives the variables to API handlers', async (site) => {
      expect(JSON.parse(await site.text(`/api${SITE}/values`))).toEqual(VALUES)
    }),
  ],
}
