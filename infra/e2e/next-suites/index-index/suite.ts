// The suite of folders called index within each other.

import { expect } from 'vitest'
import { type BrowserSite, behavioursOf } from '../harness/behaviour.ts'
import { type Suite, upstream } from '../harness/suite.ts'

/** Path and heading; each has three tests: of the HTML, of hydration and of a link. */
const PAGES = [
  ['/', 'First'],
  ['/index', 'Index'],
  ['/index/reader', 'Reader of index'],
  ['/index/works', 'Works of index'],
  ['/index/index', 'Index of index'],
] as const
const numbersOf = (place: number) => PAGES.map((_, index) => 3 * index + place)
const [firstOpened, ...otherOpened] = numbersOf(2)
const [firstFollowed, ...otherFollowed] = numbersOf(3)
const NOTHING = '/index/index/index'

const { overHttp, inBrowser } = behavioursOf('index-index')
const inFrame = { configuration: 'frame' } as const

async function follows(site: BrowserSite, path: string, heading: string | RegExp) {
  await site.open('/links', 'h1')
  await site.page.click(`a:text-is("${path}")`)
  await expect.poll(() => site.page.locator('body').textContent(), site.patience).toMatch(heading)
}

export const indexIndex: Suite = {
  name: 'index-index',
  source: upstream('test/integration/index-index/test/index.test.js'),
  tests: 17,
  rows: {},
  behaviours: [
    ...PAGES.map(([path, heading], index) =>
      overHttp(
        3 * index + 1,
        `serves ${path}`,
        async (site) => expect(await site.text(path)).toContain(`<h1>${heading}</h1>`),
        inFrame,
      ),
    ),
    inBrowser(
      firstOpened!,
      'hydrates these pages',
      async (site) => {
        for (const [path, heading] of PAGES) {
          await site.open(path, 'h1')
          expect(await site.page.textContent('h1')).toBe(heading)
        }
        expect(site.faults).toEqual([])
      },
      { ...inFrame, also: otherOpened },
    ),
    inBrowser(
      firstFollowed!,
      'follows links to these pages',
      async (site) => {
        for (const [path, heading] of PAGES) await follows(site, path, new RegExp(`^${heading}`))
        expect(site.documents).toHaveLength(PAGES.length)
      },
      { ...inFrame, also: otherFollowed },
    ),
    overHttp(
      16,
      `has nothing at ${NOTHING}`,
      async (site) => expect((await site.fetch(NOTHING)).status).toBe(404),
      inFrame,
    ),
    inBrowser(17, 'shows the page 404 for a link there', (site) => follows(site, NOTHING, /404|not be found/), inFrame),
  ],
}
