// When prerendered pages are made again.

import { expect } from 'vitest'
import type { HttpBehaviour, HttpSite } from '../../harness/behaviour.ts'
import { AT, madeOf, madeOfData, overHttp, PATIENCE, renew, seconds } from './shared.ts'

type MadeOf = typeof madeOf

/** A page or data that is kept for a second, and is another one after it. */
async function isRenewed(site: HttpSite, made: MadeOf, path: string) {
  const first = await made(site, path)
  await seconds(1.1)
  await made(site, path)
  await expect.poll(() => made(site, path), PATIENCE).not.toBe(first)
}

/** Pages that fail when they are made again are served as before. */
async function survives(site: HttpSite, slug: string) {
  const first = await madeOf(site, `/waits/${slug}`)
  await seconds(1.1)
  for (let request = 0; request < 3; request++) expect(await madeOf(site, `/waits/${slug}`)).toBe(first)
  await expect.poll(() => site.log().join('\n'), PATIENCE).toContain(`no data of ${slug}`)
}

/** A page that is made again for `renew` only. */
async function isRenewedOnDemand(site: HttpSite, path: string, query?: string) {
  const first = await madeOf(site, path)
  expect(await madeOf(site, path)).toBe(first)
  expect(await renew(site, path, query)).toBe(true)
  await expect.poll(() => madeOf(site, path), PATIENCE).not.toBe(first)
}

/** A path that is not listed has no page, whether `revalidate()` says so or not. */
async function renewsListed(site: HttpSite, isNamed: boolean) {
  expect((await site.fetch(`${AT}/named/other`)).status).toBe(404)
  expect(await renew(site, '/named/other')).toBe(isNamed)
  expect((await site.fetch(`${AT}/named/other`)).status).toBe(404)
  await isRenewedOnDemand(site, '/named/renewed')
}

export const renewal: readonly HttpBehaviour[] = [
  overHttp(70, 'makes data once for requests at the same time', async (site) => {
    const made = await Promise.all(Array.from({ length: 10 }, () => madeOfData(site, '/stars/star-10')))
    expect(new Set(made).size).toBe(1)
  }),
  overHttp(71, 'never makes a page again whose revalidate is false', async (site) => {
    const made = [await madeOf(site, '/still'), await madeOf(site, '/still'), await madeOf(site, '/still')]
    expect(new Set(made).size).toBe(1)
  }),
  overHttp(72, 'never makes such a page again that was not listed', async (site) => {
    const path = '/waits-once/kept'
    const made = [await madeOf(site, path), await madeOf(site, path), await madeOf(site, path)]
    expect(new Set(made).size).toBe(1)
  }),
  overHttp(73, 'takes the path of a page that is rendered for each request', async (site) => {
    expect(await renew(site, '/each-time')).toBe(true)
  }),
  overHttp(74, 'renews a page without the draft of the client that requests it', async (site) => {
    const none = { preview: false, data: null }
    expect((await site.stateOf(`${AT}/draft`)).props).toEqual(none)
    const begun = await site.fetch('/api/prerender/draft')
    const cookies = begun.headers.getSetCookie().map((cookie) => cookie.split(';')[0])
    expect(cookies.join()).toMatch(/__prerender_bypass=/)
    const headers = { cookie: cookies.join('; ') }
    const renewed = await site.fetch(`/api/prerender/renew?path=${AT}/draft`, { headers })
    expect(await renewed.json()).toEqual({ renewed: true })
    expect((await site.stateOf(`${AT}/draft`)).props).toEqual(none)
  }),
  {
    ...overHttp(75, 'makes pages and data again after the seconds of revalidate', async (site) => {
      await Promise.all([
        isRenewed(site, madeOf, '/stars/star-2/moon-2'),
        isRenewed(site, madeOfData, '/stars/star-2/moon-3'),
        isRenewed(site, madeOf, '/waits/renewed'),
        isRenewed(site, madeOfData, '/waits/renewed-data'),
        isRenewed(site, madeOf, '/waits/a'),
        isRenewed(site, madeOfData, '/waits/b'),
      ])
    }),
    also: [76, 77, 78, 79, 80],
  },
  overHttp(85, 'renews a page that was not listed', (site) => isRenewedOnDemand(site, '/waits-some/on-demand')),
  {
    ...overHttp(86, 'serves a page as before that fails when it is made again', async (site) => {
      await Promise.all([survives(site, 'fails-later'), survives(site, 'fails-second')])
    }),
    also: [87],
  },
  overHttp(88, 'renews no page that was never made, if only those are requested', async (site) => {
    const line = 'data of not-made'
    expect(await renew(site, '/waits/not-made', '&onlyMade')).toBe(true)
    expect(site.log().join('\n')).not.toContain(line)
    await madeOf(site, '/waits/not-made')
    await expect.poll(() => site.log().join('\n'), PATIENCE).toContain(line)
  }),
  overHttp(89, 'renews a page that was made, if only those are requested', (site) => isRenewedOnDemand(site, '/waits-some/made', '&onlyMade')),
  overHttp(90, 'renews a page whose revalidate is false', (site) => isRenewedOnDemand(site, '/waits-once/on-demand')),
  overHttp(91, 'has no page any more that says notFound when it is renewed', async (site) => {
    const first = await madeOf(site, '/waits-once/leaves')
    expect(await madeOf(site, '/waits-once/leaves')).toBe(first)
    expect(await renew(site, '/waits-once/leaves')).toBe(true)
    await expect.poll(async () => (await site.fetch(`${AT}/waits-once/leaves`)).status, PATIENCE).toBe(404)
  }),
  {
    ...overHttp(92, 'renews listed paths only, if only listed ones are', (site) => renewsListed(site, false)),
    differs: {
      reason: 'revalidate() removes the page from the caches and renders nothing, so that no path is an error',
      run: (site) => renewsListed(site, true),
    },
  },
]
