// HTML and data of prerendered pages.

import { expect } from 'vitest'
import type { HttpBehaviour, HttpSite } from '../harness/behaviour.ts'
import { AT, elementOf, overHttp } from './shared.ts'

/** A page that was made for these params, and no fallback. */
function isPage(number: number, does: string, path: string, props: object): HttpBehaviour {
  return overHttp(number, does, async (site) => {
    expect((await site.stateOf(AT + path)).props).toMatchObject(props)
    expect(await elementOf(site, path)).toMatchObject({ isFallback: false })
  })
}

function hasData(number: number, does: string, path: string, props: object): HttpBehaviour {
  return overHttp(number, does, async (site) => {
    expect((await site.data(path)).pageProps).toMatchObject(props)
  })
}

/** A page whose data arrives later. */
async function isFallback(site: HttpSite, path: string) {
  expect((await site.stateOf(AT + path)).props).toEqual({ isFallback: true })
}

/** The Cache-Control of a page, which Portico sends to caches in the words of its own settings. */
function cacheControl(number: number, does: string, path: string, next: RegExp, portico: RegExp): HttpBehaviour {
  const run = (pattern: RegExp) => async (site: HttpSite) => {
    expect((await site.fetch(AT + path)).headers.get('cache-control')).toMatch(pattern)
  }
  const reason = 'the gateway keeps pages, and browsers send a request each time'
  return { ...overHttp(number, does, run(next)), differs: { reason, run: run(portico) } }
}

export const pages: readonly HttpBehaviour[] = [
  overHttp(2, 'refuses a POST to a prerendered page', async (site) => {
    expect((await site.fetch(AT, { method: 'POST' })).status).toBe(405)
  }),
  isPage(3, 'serves a prerendered page', '', { place: 'tower' }),
  isPage(4, 'serves a page of a listed path', '/stars/star-1', { params: { star: 'star-1' } }),
  isPage(5, 'makes a page of another path before it responds', '/waits/new', { params: { slug: 'new' } }),
  isPage(6, 'serves a listed path of such a page', '/waits-some/a', { params: { slug: 'a' } }),
  overHttp(7, 'names the data function in the data element', async (site) => {
    expect(await elementOf(site, '')).toMatchObject({ gsp: true })
  }),
  overHttp(8, 'names no data function for a page without one', async (site) => {
    expect(await elementOf(site, '/plain')).not.toHaveProperty('gsp')
  }),
  overHttp(9, 'prerenders a page without the query of a request', async (site) => {
    expect(await site.stateOf(`${AT}/still?lens=red`)).toMatchObject({ query: {}, props: { params: null } })
  }),
  overHttp(10, 'gives the data function no query of a request for data', async (site) => {
    expect((await site.data(`${AT}/still?lens=red`)).pageProps.params).toBeNull()
  }),
  overHttp(11, 'prerenders a page with a parameter without the query of a request', async (site) => {
    const star = { star: 'star-1' }
    expect(await site.stateOf(`${AT}/stars/star-1?lens=red`)).toMatchObject({ query: star, props: { params: star } })
    expect((await site.stateOf(`${AT}/stars/star-1?lens=red`)).query).toEqual(star)
  }),
  hasData(12, 'serves the data of a page', AT, { place: 'tower' }),
  hasData(13, 'serves the data of a listed path', `${AT}/stars/star-1`, { params: { star: 'star-1' } }),
  hasData(14, 'makes the data of another path', `${AT}/stars/star-7`, { params: { star: 'star-7' } }),
  cacheControl(
    15,
    'says to caches how long a page is kept',
    '',
    /^s-maxage=2, stale-while-revalidate/,
    /^public, max-age=0/,
  ),
  isPage(19, 'serves a listed param with brackets', '/brackets/[object]', { slug: '[object]' }),
  isPage(21, 'serves a listed path with brackets', '/brackets/[string]', { slug: '[string]' }),
  overHttp(23, 'has no data of a path that is not listed, if only listed ones are', async (site) => {
    for (let request = 0; request < 3; request++) {
      const response = await site.fetch(`/_next/data/${site.buildId}${AT}/brackets/other.json`)
      expect(response.status).toBe(404)
    }
  }),
  overHttp(24, 'serves a page whose path begins with the letters api', async (site) => {
    expect((await site.stateOf('/api-prerender/first')).props).toEqual({ note: 'on the telescope' })
  }),
  hasData(26, 'serves the data of such a page', '/api-prerender/first', { note: 'on the telescope' }),
  isPage(27, 'serves a listed catch-all path with brackets', '/named/[string]/[two]', {
    params: { path: ['[string]', '[two]'] },
  }),
  isPage(29, 'serves listed catch-all params with brackets', '/named/[object]/[two]', {
    params: { path: ['[object]', '[two]'] },
  }),
  isPage(32, 'serves a listed catch-all path', '/orbits/far/ice', { params: { path: ['far', 'ice'] } }),
  isPage(35, 'serves a listed catch-all path of two segments, if only listed ones are', '/named/two/parts', {
    params: { path: ['two', 'parts'] },
  }),
  isPage(36, 'serves a listed catch-all path of one segment, if only listed ones are', '/named/single', {
    params: { path: ['single'] },
  }),
  hasData(38, 'decodes a parameter in a path of data', `${AT}/only/second%2Fpart`, { params: { slug: 'second/part' } }),
  overHttp(39, 'has no page of a catch-all path that is not listed', async (site) => {
    expect((await site.fetch(`${AT}/named/other`)).status).toBe(404)
  }),
  overHttp(40, 'has no data at the address of the build alone', async (site) => {
    expect((await site.fetch(`/_next/data/${site.buildId}`)).status).toBe(404)
  }),
  overHttp(41, 'rewrites to a page of listed paths', async (site) => {
    expect((await site.stateOf(`${AT}/about`)).props).toEqual({ lang: 'en' })
  }),
  overHttp(42, 'rewrites to a page that is made before the response', async (site) => {
    expect((await site.stateOf(`${AT}/waits-behind`)).props).toMatchObject({ params: { slug: 'behind' } })
  }),
  cacheControl(
    64,
    'lets caches keep a page for a year that is never made again',
    '/still',
    /^s-maxage=31536000/,
    /^public, max-age=0/,
  ),
  overHttp(93, 'makes the data of a catch-all path of three segments', async (site) => {
    const path = ['inner', 'second', 'third']
    expect((await site.data(`${AT}/orbits/inner/second/third`)).pageProps.params).toEqual({ path })
  }),
  overHttp(33, 'serves a fallback for a catch-all path that is not listed', (site) => isFallback(site, '/orbits/lazy')),
]
