// A site below a base path, over HTTP.

import { expect } from 'vitest'
import type { Behaviour } from '../../harness/behaviour.ts'
import { behavioursOf } from '../../harness/behaviour.ts'
import { PORTS, withOtherHost } from '../../harness/other-host.ts'
import { type ResponseRow, responses } from '../../harness/responses.ts'

const suite = behavioursOf('basepath')

const AT = '/library'

/** A redirect. Its body names the location, for clients that do not follow it. */
const redirects = (path: string, status: number, toPath: string): ResponseRow => ({
  ...{ path, status, toPath, body: toPath },
  differs: { reason: 'no browser shows the body of a redirect', path, status, toPath, body: '' },
})

/** A path that a rule outside of the base path names is that of a page below it. */
const isNamed = (name: string): ResponseRow => ({ path: `${AT}/${name}`, status: 200, state: { pathname: '/[name]' } })

export const httpBehaviours: readonly Behaviour[] = [
  ...responses(
    'basepath',
    {
      '10 serves no public file without the base path': { path: '/notice.txt', status: 404 },
      '11 serves a public file below the base path': { path: `${AT}/notice.txt`, status: 200, body: 'quiet please\n' },
      '12 rewrites below the base path': { path: [`${AT}/borrowed`, `${AT}/lent/first`], state: { pathname: '/fresh', props: { paper: 'gazette' } } },
      '13 rewrites no path without the base path': { path: '/borrowed', status: 404 },
      '14 does not rewrite below the base path what is to be rewritten outside': { ...isNamed('outer-rewrite'), configuration: 'other-hosts' },
      '16 redirects below the base path': redirects(`${AT}/returned`, 307, `${AT}/cellar`),
      '17 redirects no path without the base path': { path: '/returned', status: 404 },
      '18 does not redirect below the base path what is to be redirected outside': isNamed('outer-redirect'),
      '19 redirects outside of the base path': redirects('/outer-redirect', 307, '/elsewhere'),
      '20 adds headers below the base path': { path: `${AT}/with-header`, headers: { 'x-below': 'yes' } },
      '21 adds no headers without the base path': { path: '/with-header', headers: { 'x-below': null } },
      '22 adds no headers below the base path that are for paths outside': { path: `${AT}/outer-header`, headers: { 'x-below': null } },
      '23 adds headers outside of the base path': { path: '/outer-header', headers: { 'x-below': 'no' } },
      '34 redirects to the path without the slash at its end': redirects(`${AT}/desk/`, 308, `${AT}/desk`),
      '35 redirects to the base path without the slash at its end': redirects(`${AT}/`, 308, AT),
      '42 shows a page below the base path': { path: `${AT}/desk`, text: '<h1>Desk</h1>' },
      '47 gives a link the base path': { path: `${AT}/desk`, text: /<a [^>]*id="attic"[^>]* href="\/library\/attic"/ },
      '48 gives a link to the index the base path alone': { path: `${AT}/attic`, text: /<a [^>]*id="index"[^>]* href="\/library"/ },
      '49 shows its own screen for the path of a page without the base path': {
        path: '/desk',
        status: 404,
        text: 'This page could not be found',
        without: '<h1>Desk</h1>',
      },
      '50 shows another page below the base path': { path: `${AT}/attic`, text: '<h1>Attic</h1>' },
      '51 gives the router of a page the base path': { path: `${AT}/desk`, text: '<p id="base-path">/library</p>' },
    },
    { configuration: 'basepath' },
  ),
  suite.overHttp(
    15,
    'rewrites to another host outside of the base path',
    (site) => withOtherHost(PORTS.http, async () => expect(await site.text('/outer-rewrite')).toBe('<h1>Another host</h1>')),
    { configuration: 'other-hosts' },
  ),
]
