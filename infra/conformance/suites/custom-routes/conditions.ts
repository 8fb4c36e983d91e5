// Rules with `has` and `missing`: the response where the condition of the rule holds, and without it.

import { expect } from 'vitest'
import { behavioursOf } from '../../harness/behaviour.ts'
import { responses } from '../../harness/responses.ts'
import { AT, fetchAs, queryOf, redirectOf, statusOf } from './expectations.ts'

const GUEST = { headers: { 'x-guest': 'anna and otto' } }
const MEMBER = { headers: { cookie: 'member=yes' } }
const STAGE = { headers: { host: 'stage.example' } }

const { overHttp } = behavioursOf('custom-routes')

const plain = responses(
  'custom-routes',
  {
    '70 adds headers only without a header of the request': {
      requests: [
        { path: '/headers/without-header', request: GUEST, headers: { 'x-open': null } },
        { path: '/headers/without-header', headers: { 'x-open': 'yes' } },
      ],
    },
    '71 adds headers only without a query': {
      requests: [
        { path: '/headers/without-query?guest=anna', headers: { 'x-open': null } },
        { path: '/headers/without-query', headers: { 'x-open': 'yes' } },
      ],
    },
    '72 adds headers only without a cookie': {
      requests: [
        { path: '/headers/without-cookie', request: MEMBER, headers: { 'x-open': null } },
        { path: '/headers/without-cookie', headers: { 'x-open': 'yes' } },
      ],
    },
    '73 redirects only without a header of the request': {
      requests: [
        { path: '/without-header', request: GUEST, status: 404 },
        { path: '/without-header', status: 307, to: `${AT}/hall` },
      ],
    },
    '74 redirects only without a query': {
      requests: [
        { path: '/without-query?guest=anna', status: 404 },
        { path: '/without-query', status: 307, to: `${AT}/hall` },
      ],
    },
    '75 redirects only without a cookie': {
      requests: [
        { path: '/without-cookie', request: MEMBER, status: 404 },
        { path: '/without-cookie', status: 307, to: `${AT}/hall?is=new` },
      ],
    },
    '76 rewrites only without a header of the request': {
      requests: [
        { path: '/without-header/page', request: GUEST, status: 404 },
        { path: '/without-header/page', status: 200, query: {} },
      ],
    },
    '77 rewrites only without a query': {
      requests: [
        { path: '/without-query/page?guest=anna', status: 404 },
        { path: '/without-query/page', status: 200, query: {} },
      ],
    },
    '78 rewrites only without a cookie': {
      requests: [
        { path: '/without-cookie/page', request: MEMBER, status: 404 },
        { path: '/without-cookie/page', status: 200, query: { is: 'new' } },
      ],
    },
    '79 rewrites with a named part of a header of the request': {
      requests: [
        { path: '/with-header/page', request: GUEST, status: 200, query: { guest: 'anna and otto' } },
        { path: '/with-header/page', status: 404 },
      ],
    },
    '80 rewrites with a value of the query, whose name loses its hyphen': {
      requests: [
        { path: '/with-query/page?guest-name=anna', status: 200, query: { 'guest-name': 'anna', guestname: 'anna', seen: 'anna' } },
        { path: '/with-query/page', status: 404 },
      ],
      differs: {
        reason: 'a whole value, such as the cookie of a session, is in the query only where the rule names it',
        path: '/with-query/page?guest-name=anna',
        status: 200,
        query: { 'guest-name': 'anna', seen: 'anna' },
      },
    },
    '81 rewrites with a named part of a cookie': {
      requests: [
        { path: '/with-cookie/page', request: MEMBER, status: 200, query: { member: 'yes', is: 'member' } },
        { path: '/with-cookie/page', status: 404 },
      ],
    },
    '83 puts a value of the query into the path': {
      requests: [
        { path: '/with-page/page?page=hall', status: 200, query: { page: 'hall' } },
        { path: '/with-page/page', status: 404 },
      ],
    },
    '84 adds no value of a condition without a named part to the query': {
      requests: [
        { path: '/with-plain-header/page', request: { headers: { 'x-page': 'hall' } }, status: 200, query: {} },
        { path: '/with-plain-header/page', status: 404 },
      ],
    },
    '85 puts a named part of the query into another name of it': {
      requests: [
        { path: '/with-named-query/page?page=hall', status: 200, query: { page: 'hall', which: 'hall', named: 'hall' } },
        { path: '/with-named-query/page', status: 404 },
      ],
    },
    '87 redirects with a named part of a header of the request': {
      requests: [
        { path: '/with-header', request: GUEST, status: 307, to: `${AT}/hall?guest=anna%20and%20otto` },
        { path: '/with-header', status: 404 },
      ],
    },
    '88 redirects with a value of the query': {
      requests: [
        { path: '/with-query?guest-name=anna', status: 307, to: `${AT}/hall?guest-name=anna&seen=anna` },
        { path: '/with-query', status: 404 },
      ],
    },
    '89 redirects with a cookie': {
      requests: [
        { path: '/with-cookie', request: MEMBER, status: 307, to: `${AT}/hall?is=member` },
        { path: '/with-cookie', status: 404 },
      ],
    },
    '93 adds headers with a header of the request': {
      requests: [
        { path: '/headers/with-header', request: GUEST, headers: { 'x-open': 'yes' } },
        { path: '/headers/with-header', headers: { 'x-open': null } },
      ],
    },
    '94 adds headers with a query': {
      requests: [
        { path: '/headers/with-query?guest-name=anna', headers: { 'x-open': 'yes' } },
        { path: '/headers/with-query', headers: { 'x-open': null } },
      ],
    },
    '95 adds headers with a cookie': {
      requests: [
        { path: '/headers/with-cookie', request: MEMBER, headers: { 'x-open': 'yes' } },
        { path: '/headers/with-cookie', headers: { 'x-open': null } },
      ],
    },
  },
  { at: AT },
)

/** For a host, which fetch does not send. */
const forHost = [
  overHttp(82, 'rewrites for a host', async (site) => {
    expect(await queryOf(site, '/with-host/page', STAGE)).toEqual({ host: 'stage' })
    expect(await statusOf(site, '/with-host/page')).toBe(404)
  }),
  overHttp(90, 'redirects for a host', async (site) => {
    const found = await redirectOf(site, '/with-host', STAGE)
    expect(found).toMatchObject({ status: 307, path: '/hall', query: { on: 'stage' } })
    expect(await statusOf(site, '/with-host')).toBe(404)
  }),
  overHttp(96, 'adds headers for a host', async (site) => {
    expect((await fetchAs(site, '/headers/with-host', STAGE)).headers.get('x-open')).toBe('yes')
    expect((await fetchAs(site, '/headers/with-host')).headers.get('x-open')).toBe(null)
  }),
]

export const conditionBehaviours = [...plain, ...forHost]
