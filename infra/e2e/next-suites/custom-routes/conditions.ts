// Rules with `has` and `missing`.

import { expect } from 'vitest'
import type { Behaviour, HttpBehaviour, HttpSite } from '../harness/behaviour.ts'
import { fetchAs, type Given, queryOf, redirectOf, statusOf } from './expectations.ts'

interface Case extends Given {
  search?: string
  number: number
  does: string
  path: string
}

type Check = (site: HttpSite, path: string, init: Given) => Promise<void>

/** `isMet` where the condition of the rule holds, else `isNot`. */
function compares({ number, does, path, headers, search = '' }: Case, isMet: Check, isNot: Check): HttpBehaviour {
  return {
    id: `custom-routes-${number}`,
    does,
    via: 'http',
    async run(site) {
      await isMet(site, path + search, headers ? { headers } : {})
      await isNot(site, path, {})
    },
  }
}

const isNotFound: Check = async (site, path, init) => expect(await statusOf(site, path, init)).toBe(404)

const showsHall =
  (query: Record<string, string>): Check =>
  async (site, path, init) =>
    expect(await queryOf(site, path, init)).toEqual(query)

const redirectsToHall =
  (query: Record<string, string>): Check =>
  async (site, path, init) =>
    expect(await redirectOf(site, path, init)).toMatchObject({ status: 307, path: '/hall', query })

const isOpen =
  (expected: string | null): Check =>
  async (site, path, init) =>
    expect((await fetchAs(site, path, init)).headers.get('x-open')).toBe(expected)

const GUEST = { headers: { 'x-guest': 'anna and otto' } }
const MEMBER = { headers: { cookie: 'member=yes' } }
const STAGE = { headers: { host: 'stage.example' } }

export const conditionBehaviours: readonly Behaviour[] = [
  compares(
    {
      number: 70,
      does: 'adds headers only without a header of the request',
      path: '/headers/without-header',
      ...GUEST,
    },
    isOpen(null),
    isOpen('yes'),
  ),
  compares(
    { number: 71, does: 'adds headers only without a query', path: '/headers/without-query', search: '?guest=anna' },
    isOpen(null),
    isOpen('yes'),
  ),
  compares(
    { number: 72, does: 'adds headers only without a cookie', path: '/headers/without-cookie', ...MEMBER },
    isOpen(null),
    isOpen('yes'),
  ),
  compares(
    { number: 73, does: 'redirects only without a header of the request', path: '/without-header', ...GUEST },
    isNotFound,
    redirectsToHall({}),
  ),
  compares(
    { number: 74, does: 'redirects only without a query', path: '/without-query', search: '?guest=anna' },
    isNotFound,
    redirectsToHall({}),
  ),
  compares(
    { number: 75, does: 'redirects only without a cookie', path: '/without-cookie', ...MEMBER },
    isNotFound,
    redirectsToHall({ is: 'new' }),
  ),
  compares(
    { number: 76, does: 'rewrites only without a header of the request', path: '/without-header/page', ...GUEST },
    isNotFound,
    showsHall({}),
  ),
  compares(
    { number: 77, does: 'rewrites only without a query', path: '/without-query/page', search: '?guest=anna' },
    isNotFound,
    showsHall({}),
  ),
  compares(
    { number: 78, does: 'rewrites only without a cookie', path: '/without-cookie/page', ...MEMBER },
    isNotFound,
    showsHall({ is: 'new' }),
  ),
  compares(
    { number: 79, does: 'rewrites with a named part of a header of the request', path: '/with-header/page', ...GUEST },
    showsHall({ guest: 'anna and otto' }),
    isNotFound,
  ),
  {
    ...compares(
      {
        ...{ number: 80, does: 'rewrites with a value of the query, whose name loses its hyphen' },
        ...{ path: '/with-query/page', search: '?guest-name=anna' },
      },
      showsHall({ 'guest-name': 'anna', guestname: 'anna', seen: 'anna' }),
      isNotFound,
    ),
    differs: {
      reason: 'a whole value, such as the cookie of a session, is in the query only where the rule names it',
      run: (site: HttpSite) =>
        showsHall({ 'guest-name': 'anna', seen: 'anna' })(site, '/with-query/page?guest-name=anna', {}),
    },
  },
  compares(
    { number: 81, does: 'rewrites with a named part of a cookie', path: '/with-cookie/page', ...MEMBER },
    showsHall({ member: 'yes', is: 'member' }),
    isNotFound,
  ),
  compares(
    { number: 82, does: 'rewrites for a host', path: '/with-host/page', ...STAGE },
    showsHall({ host: 'stage' }),
    isNotFound,
  ),
  compares(
    { number: 83, does: 'puts a value of the query into the path', path: '/with-page/page', search: '?page=hall' },
    showsHall({ page: 'hall' }),
    isNotFound,
  ),
  compares(
    {
      ...{ number: 84, does: 'adds no value of a condition without a named part to the query' },
      ...{ path: '/with-plain-header/page', headers: { 'x-page': 'hall' } },
    },
    showsHall({}),
    isNotFound,
  ),
  compares(
    {
      ...{ number: 85, does: 'puts a named part of the query into another name of it' },
      ...{ path: '/with-named-query/page', search: '?page=hall' },
    },
    showsHall({ page: 'hall', which: 'hall', named: 'hall' }),
    isNotFound,
  ),
  compares(
    { number: 87, does: 'redirects with a named part of a header of the request', path: '/with-header', ...GUEST },
    redirectsToHall({ guest: 'anna and otto' }),
    isNotFound,
  ),
  compares(
    { number: 88, does: 'redirects with a value of the query', path: '/with-query', search: '?guest-name=anna' },
    redirectsToHall({ 'guest-name': 'anna', seen: 'anna' }),
    isNotFound,
  ),
  compares(
    { number: 89, does: 'redirects with a cookie', path: '/with-cookie', ...MEMBER },
    redirectsToHall({ is: 'member' }),
    isNotFound,
  ),
  compares(
    { number: 90, does: 'redirects for a host', path: '/with-host', ...STAGE },
    redirectsToHall({ on: 'stage' }),
    isNotFound,
  ),
  compares(
    { number: 93, does: 'adds headers with a header of the request', path: '/headers/with-header', ...GUEST },
    isOpen('yes'),
    isOpen(null),
  ),
  compares(
    { number: 94, does: 'adds headers with a query', path: '/headers/with-query', search: '?guest-name=anna' },
    isOpen('yes'),
    isOpen(null),
  ),
  compares(
    { number: 95, does: 'adds headers with a cookie', path: '/headers/with-cookie', ...MEMBER },
    isOpen('yes'),
    isOpen(null),
  ),
  compares(
    { number: 96, does: 'adds headers for a host', path: '/headers/with-host', ...STAGE },
    isOpen('yes'),
    isOpen(null),
  ),
]
