// Redirects of the configuration.

import { expect } from 'vitest'
import { behavioursOf } from '../../harness/behaviour.ts'
import { type ResponseRow, responses } from '../../harness/responses.ts'
import { AT, redirectOf, statusOf } from './expectations.ts'

const { overHttp } = behavioursOf('custom-routes')

/** A permanent redirect, whose Refresh is for browsers that do not follow the status 308. */
const refreshes = (search: string): ResponseRow => {
  const redirect = { path: `/moved-for-ever${search}`, status: 308, location: `${AT}/garden${search}` }
  const reason = 'every browser that Portico supports follows 308 without Refresh'
  return { ...redirect, headers: { refresh: `0;url=${AT}/garden${search}` }, differs: { reason, ...redirect, headers: { refresh: null } } }
}

const SIGN_IN = 'https://login.example.com/start?back=https%3A%2F%2Fwww.example.com%2Fhome'

const below = responses(
  'custom-routes',
  {
    '19 redirects from one rule to the next, each with its own status': {
      requests: [
        { path: '/first-stop', status: 301, toPath: `${AT}/second-stop` },
        { path: '/second-stop', status: 302, toPath: `${AT}/third-stop` },
        { path: '/third-stop', status: 303, toPath: `${AT}/garden` },
      ],
    },
    '21 redirects for some time': { path: '/moved', status: 307, to: `${AT}/garden` },
    '22 puts a parameter into the location': { path: '/floors/3/plan', status: 307, to: `${AT}/plans/3` },
    '23 puts a parameter into the fragment of the location': { path: '/faults/404', status: 301, to: `${AT}/help#404` },
    '24 redirects with the status of the rule': { path: '/moved-long-ago', status: 301, to: `${AT}/garden` },
    '25 redirects all that a catch-all has': { path: '/all-of/a/b', status: 307, to: `${AT}/garden` },
    '29 leads to a page over two redirects': { path: '/map', request: { redirect: 'follow' }, text: '<h1>Garden</h1>' },
    '35 puts parameters into the query of the location, before that of the request': {
      path: '/find/a/b?c=d',
      status: 307,
      to: `${AT}/hall?what=a&named=b&c=d`,
    },
    '36 encodes a parameter in the query of the location': {
      path: '/find/one%20two%3Fw%3D24%26x%3Dy/b?c=d',
      status: 307,
      to: `${AT}/hall?what=one%20two%3Fw%3D24%26x%3Dy&named=b&c=d`,
    },
    '40 redirects from the path of a page': { path: '/closed-page', status: 307, to: `${AT}/garden` },
    '49 redirects to another host': { path: '/out', status: 307, to: 'https://www.example.com/' },
    '58 compares parameters without a name': { path: '/door/north/wind', status: 307, to: `${AT}/garden` },
    '59 takes a digit as the name of a parameter': { path: '/numbered/garden', status: 307, to: `${AT}/garden` },
    '60 sends Refresh with a permanent redirect': refreshes(''),
    '61 keeps the encoding of the query in Location and Refresh': refreshes('?%C3%A4=%E2%82%AC'),
    '65 stays on its host when a parameter begins with a backslash': { path: '/in/%5Cwww.example.com', status: 307, to: '/%5Cwww.example.com/garden' },
    '67 compares a parameter with alternatives, and another within a segment': { path: '/guide/tours/v1-of/town', status: 307, to: `${AT}/tours/-of/town` },
    '68 redirects to a URL with another, encoded URL in its query': { path: '/sign-in', status: 307, to: SIGN_IN },
    '69 redirects to a URL with another URL in its query': { path: '/sign-in-plain', status: 307, to: SIGN_IN },
    '92 compares the last value of a repeated name of the query': {
      path: '/with-repeated-query?guest=anna&guest=otto',
      status: 307,
      to: `${AT}/hall?guest=anna&guest=otto&last=otto`,
    },
  },
  { at: AT },
)

const MARKED = { headers: { 'x-custom-routes': 'yes' } }

const others = responses('custom-routes', {
  '20 redirects no path below /_next': {
    requests: [
      { path: '/_next/with-mark', request: MARKED, status: 404 },
      { path: '/anywhere/with-mark', request: MARKED, status: 307 },
    ],
  },
})

export const redirectBehaviours = [
  ...below,
  ...others,
  overHttp(91, 'redirects to a host made of a part of the host of the request', async (site) => {
    expect(await statusOf(site, '/with-part-of-host')).toBe(404)
    const init = { headers: { host: 'lyon-branch.example.org' } }
    const { status, url } = await redirectOf(site, '/with-part-of-host', init)
    expect(status).toBe(307)
    expect(url.href).toBe('https://lyon.example.org/shows/all?c=d')
  }),
]
