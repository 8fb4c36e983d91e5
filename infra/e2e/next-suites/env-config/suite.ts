// The suite of `.env` files.

import { expect } from 'vitest'
import { behavioursOf } from '../harness/behaviour.ts'
import { notApplicable, type Suite, upstream } from '../harness/suite.ts'

const AT = '/env-config'

const define = behavioursOf('env-config')
const inEnv = { configuration: 'env' } as const

const overHttp = (...[number, does, run]: Parameters<typeof define.overHttp>) =>
  define.overHttp(number, does, run, inEnv)

/** What code on a server of production sees; `FROM_PROCESS_LATE` is of the process in the build and in the server. */
const SEEN = {
  PLAIN: 'plain',
  IN_LOCAL: 'local',
  IN_PRODUCTION: 'production',
  IN_PRODUCTION_LOCAL: 'production-local',
  EXPANDED: 'plain',
  EXPANDED_WITHIN: 'so-plain',
  ESCAPED: '$PLAIN',
  EXCLAIMED: 'plain!',
  EMPTY_FIRST: '$escaped',
  FROM_PROCESS_LATE: 'of the process',
  ofConfig: 'for the config',
  ofConfigPublic: 'for the config, public',
  ofConfigCode: 'of the config',
}

function expectSeen(seen: unknown) {
  expect(seen).toMatchObject(SEEN)
  for (const name of ['IN_DEVELOPMENT', 'IN_TEST']) expect(seen).not.toHaveProperty(name)
}

const development = notApplicable('the development server')

export const envConfig: Suite = {
  name: 'env-config',
  source: upstream('test/integration/env-config/test/index.test.js'),
  tests: 9,
  rows: { 8: development, 9: development },
  behaviours: [
    overHttp(1, 'prefers the environment of the process to files', async (site) => {
      expect((await site.stateOf(`${AT}/made`)).props).toMatchObject({ FROM_PROCESS: 'of the process' })
    }),
    overHttp(2, 'gives variables of files to next.config.js', async (site) => {
      const response = await site.fetch(`${AT}/away`)
      expect(response.status).toBe(307)
      expect(response.headers.get('location')).toBe(`${AT}/elsewhere`)
    }),
    define.inBrowser(
      3,
      'writes public variables into the code for the browser',
      async (site) => {
        await site.open(`${AT}/made`)
        await expect.poll(() => site.page.textContent('#place'), site.patience).toBe('elsewhere')
      },
      inEnv,
    ),
    overHttp(4, 'has variables in getStaticProps', async (site) => {
      expectSeen((await site.stateOf(`${AT}/made`)).props)
    }),
    overHttp(5, 'has variables in getServerSideProps', async (site) => {
      expectSeen((await site.stateOf(`${AT}/each-time`)).props)
    }),
    overHttp(6, 'has variables in API handlers', async (site) => {
      expectSeen(JSON.parse(await site.text(`/api${AT}/seen`)))
    }),
    define.inBrowser(
      7,
      'prefers files of production and local ones, and keeps an empty variable',
      async (site) => {
        await site.open(`${AT}/made`)
        expect((await site.state()).props).toMatchObject({
          PLAIN: 'plain',
          OVER_LOCAL: 'local',
          OVER_DEVELOPMENT: 'env',
          OVER_TEST: 'env',
          OVER_PRODUCTION: 'production',
          OVER_PRODUCTION_LOCAL: 'production-local',
          NEXT_PUBLIC_EMPTY: '',
        })
        expect(await site.page.textContent('#empty')).toBe('[]')
        expect(site.faults).toEqual([])
      },
      inEnv,
    ),
  ],
}
