// The suite of parameters of prerendered pages that are encoded in paths.

import { expect } from 'vitest'
import { type BrowserSite, behavioursOf } from '../../harness/behaviour.ts'
import { type Exchange, responses } from '../../harness/responses.ts'
import { notApplicable, type Suite, upstream } from '../../harness/suite.ts'

const AT = '/prerender-fallback-encoding'
/** By what happens with a path that is not listed. */
const PAGES = ['waits', 'known', 'later']

const encoded = encodeURIComponent
/** The segments of the listed paths. */
const LISTED = [...['/a b/', '%2Fa%2F', '+a+', '?a?', '&a&', '山小屋', ' a ', encoded('山小屋')], ...['/b/', '+b+', '&b&', 'mixed-山小屋']].map(encoded)
const OTHERS = ['/c/', '+c+', '?c?', '&c&', '山小屋山小屋'].map(encoded)

const { inBrowser } = behavioursOf('prerender-fallback-encoding')

const stateOf = (page: string, segment: string) => {
  const slug = decodeURIComponent(segment)
  const place = { pathname: `${AT}/${page}/[slug]`, asPath: `${AT}/${page}/${segment}`, query: { slug } }
  return { ...place, props: { params: { slug } } }
}

const hasData = (page: string, segment: string): Exchange => ({ data: `${AT}/${page}/${segment}`, params: { slug: decodeURIComponent(segment) } })

const everyListed = PAGES.flatMap((page) => LISTED.map((segment) => [page, segment] as const))

/** Every third of the listed paths. */
const shareOf = (page: string) => LISTED.filter((_, index) => PAGES[index % PAGES.length] === page)

/** Navigates to the listed paths, each on one of the pages. */
async function visits(site: BrowserSite, push: (page: string, segment: string) => unknown) {
  for (const page of PAGES) {
    const [first, ...others] = shareOf(page)
    await site.open(`${AT}/${page}/${first}`)
    for (const segment of others) {
      await site.page.evaluate(`void next.router.push(${JSON.stringify(push(page, segment))})`)
      await expect.poll(site.state, site.patience).toEqual(stateOf(page, segment))
    }
  }
  expect(site.documents).toHaveLength(PAGES.length)
}

export const prerenderFallbackEncoding: Suite = {
  name: 'prerender-fallback-encoding',
  source: upstream('test/integration/prerender-fallback-encoding/test/index.test.js'),
  tests: 7,
  rows: { 1: notApplicable('the names of files of the build') },
  behaviours: [
    ...responses('prerender-fallback-encoding', {
      '2 makes data of other paths, unless only listed ones have any': {
        requests: OTHERS.flatMap((segment) => [
          hasData('waits', segment),
          hasData('later', segment),
          { data: `${AT}/known/${segment}`, status: 404 },
          { path: `${AT}/waits/${segment}`, wholeState: stateOf('waits', segment) },
        ]),
      },
      '3 serves pages of listed paths': {
        requests: everyListed.map(([page, segment]) => ({ path: `${AT}/${page}/${segment}`, wholeState: stateOf(page, segment) })),
      },
      '4 serves data of listed paths': { requests: everyListed.map(([page, segment]) => hasData(page, segment)) },
    }),
    inBrowser(5, 'has the same parameter after hydration', async (site) => {
      for (const page of PAGES) {
        for (const segment of shareOf(page).slice(0, 2)) {
          await site.open(`${AT}/${page}/${segment}`)
          await expect.poll(site.state, site.patience).toEqual(stateOf(page, segment))
        }
      }
      expect(site.faults).toEqual([])
    }),
    inBrowser(6, 'encodes the parameter of a URL object that is pushed', (site) =>
      visits(site, (page, segment) => {
        return { pathname: `${AT}/${page}/[slug]`, query: { slug: decodeURIComponent(segment) } }
      }),
    ),
    inBrowser(7, 'decodes the parameter of a path that is pushed', (site) => visits(site, (page, segment) => `${AT}/${page}/${segment}`)),
  ],
}
