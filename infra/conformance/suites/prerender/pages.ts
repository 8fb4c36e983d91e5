// HTML and data of prerendered pages.

import { type ResponseRow, responses } from '../../harness/responses.ts'
import { AT } from './shared.ts'

/** A page that was made for these params, and no fallback. */
const page = (path: string, props: object): ResponseRow => ({ path: AT + path, state: { props }, nextData: { isFallback: false } })

const data = (path: string, props: object): ResponseRow => ({ data: path, pagePropsPart: props })

/** The Cache-Control of a page, which Portico sends to caches in the words of its own settings. */
const cached = (path: string, next: RegExp, portico: RegExp): ResponseRow => ({
  path: AT + path,
  headers: { 'cache-control': next },
  differs: { reason: 'the gateway keeps pages, and browsers send a request each time', path: AT + path, headers: { 'cache-control': portico } },
})

const ofStar = (star: string) => ({ params: { star } })

export const pages = responses('prerender', {
  '2 refuses a POST to a prerendered page': { path: AT, request: { method: 'POST' }, status: 405 },
  '3 serves a prerendered page': page('', { place: 'tower' }),
  '4 serves a page of a listed path': page('/stars/star-1', ofStar('star-1')),
  '5 makes a page of another path before it responds': page('/waits/new', { params: { slug: 'new' } }),
  '6 serves a listed path of such a page': page('/waits-some/a', { params: { slug: 'a' } }),
  '7 names the data function in the data element': { path: AT, nextData: { gsp: true } },
  '8 names no data function for a page without one': { path: `${AT}/plain`, withoutNextData: ['gsp'] },
  '9 prerenders a page without the query of a request': { path: `${AT}/still?lens=red`, state: { query: {}, props: { params: null } } },
  '10 gives the data function no query of a request for data': data(`${AT}/still?lens=red`, { params: null }),
  '11 prerenders a page with a parameter without the query of a request': {
    path: `${AT}/stars/star-1?lens=red`,
    state: { props: ofStar('star-1') },
    query: { star: 'star-1' },
  },
  '12 serves the data of a page': data(AT, { place: 'tower' }),
  '13 serves the data of a listed path': data(`${AT}/stars/star-1`, ofStar('star-1')),
  '14 makes the data of another path': data(`${AT}/stars/star-7`, ofStar('star-7')),
  '15 says to caches how long a page is kept': cached('', /^s-maxage=2, stale-while-revalidate/, /^public, max-age=0/),
  '19 serves a listed param with brackets': page('/brackets/[object]', { slug: '[object]' }),
  '21 serves a listed path with brackets': page('/brackets/[string]', { slug: '[string]' }),
  '23 has no data of a path that is not listed, if only listed ones are': { data: Array.from({ length: 3 }, () => `${AT}/brackets/other`), status: 404 },
  '24 serves a page whose path begins with the letters api': { path: '/api-prerender/first', props: { note: 'on the telescope' } },
  '26 serves the data of such a page': data('/api-prerender/first', { note: 'on the telescope' }),
  '27 serves a listed catch-all path with brackets': page('/named/[string]/[two]', { params: { path: ['[string]', '[two]'] } }),
  '29 serves listed catch-all params with brackets': page('/named/[object]/[two]', { params: { path: ['[object]', '[two]'] } }),
  '32 serves a listed catch-all path': page('/orbits/far/ice', { params: { path: ['far', 'ice'] } }),
  '35 serves a listed catch-all path of two segments, if only listed ones are': page('/named/two/parts', { params: { path: ['two', 'parts'] } }),
  '36 serves a listed catch-all path of one segment, if only listed ones are': page('/named/single', { params: { path: ['single'] } }),
  '38 decodes a parameter in a path of data': data(`${AT}/only/second%2Fpart`, { params: { slug: 'second/part' } }),
  '39 has no page of a catch-all path that is not listed': { path: `${AT}/named/other`, status: 404 },
  '41 rewrites to a page of listed paths': { path: `${AT}/about`, props: { lang: 'en' } },
  '42 rewrites to a page that is made before the response': { path: `${AT}/waits-behind`, state: { props: { params: { slug: 'behind' } } } },
  '64 lets caches keep a page for a year that is never made again': cached('/still', /^s-maxage=31536000/, /^public, max-age=0/),
  '93 makes the data of a catch-all path of three segments': { data: `${AT}/orbits/inner/second/third`, params: { path: ['inner', 'second', 'third'] } },
  '33 serves a fallback for a catch-all path that is not listed': { path: `${AT}/orbits/lazy`, props: { isFallback: true } },
  '40 has no data at the address of the build alone': { path: '/_next/data/{build}', status: 404 },
})
