// The suite of folders called index within each other.

import { expect } from 'vitest'
import { type BrowserSite, behavioursOf } from '../../harness/behaviour.ts'
import { type ResponseRow, type ResponseRows, responses } from '../../harness/responses.ts'
import { type Suite, upstream } from '../../harness/suite.ts'

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

const { inBrowser } = behavioursOf('index-index')
const inFrame = { configuration: 'frame' } as const

const rows: ResponseRows = {
  ...Object.fromEntries(
    PAGES.map(([path, heading], index): [string, ResponseRow] => [`${3 * index + 1} serves ${path}`, { path, text: `<h1>${heading}</h1>` }]),
  ),
  [`16 has nothing at ${NOTHING}`]: { path: NOTHING, status: 404 },
}

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
    ...responses('index-index', rows, inFrame),
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
    inBrowser(17, 'shows the page 404 for a link there', (site) => follows(site, NOTHING, /404|not be found/), inFrame),
  ],
}
