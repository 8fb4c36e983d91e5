// The suite of links whose paths and queries have encoded characters.

import { expect } from 'vitest'
import { type Behaviour, type BrowserSite, behavioursOf } from '../../harness/behaviour.ts'
import { type ResponseRow, type ResponseRows, responses } from '../../harness/responses.ts'
import { type Suite, upstream } from '../../harness/suite.ts'

const AT = '/link-with-encoding'

/** By the id of the link: a segment of a path, and the parameter that it is. */
const NAMES = {
  spaces: ['two%20words%20', 'two words '],
  percent: ['half%25full', 'half%full'],
  slash: ['one%2Ftwo', 'one/two'],
  quote: ['one%22two', 'one"two'],
  colon: ['one%3Atwo', 'one:two'],
} as const

const ENTRIES = Object.entries(NAMES)
/** Each name has three tests: of the HTML, of a push and of a link. */
const numbersOf = (place: number) => ENTRIES.map((_, index) => 3 * index + place)

const { inBrowser } = behavioursOf('link-with-encoding')

const shows = (site: BrowserSite, name: string) => expect.poll(site.state, site.patience).toMatchObject({ query: { name }, props: { params: { name } } })

const [firstPush, ...otherPushes] = numbersOf(2)
const [firstLink, ...otherLinks] = numbersOf(3)

const rows: ResponseRows = Object.fromEntries(
  ENTRIES.map(([id, [segment, name]], index): [string, ResponseRow] => [
    `${3 * index + 1} decodes the parameter of the path (${id})`,
    { path: `/${segment}`, props: { params: { name } } },
  ]),
)

const behaviours: readonly Behaviour[] = [
  ...responses('link-with-encoding', rows, { at: AT }),
  inBrowser(
    firstPush!,
    'decodes the parameter of a path that is pushed',
    async (site) => {
      await site.open(AT)
      for (const [segment, name] of Object.values(NAMES)) {
        const as = JSON.stringify(`${AT}/${segment}`)
        await site.page.evaluate(`void next.router.push({ pathname: '${AT}/[name]' }, { pathname: ${as} })`)
        await shows(site, name)
      }
      expect(site.documents).toHaveLength(1)
    },
    { also: otherPushes },
  ),
  inBrowser(
    firstLink!,
    'decodes the parameter of the path of a link',
    async (site) => {
      await site.open(AT)
      for (const [id, [, name]] of ENTRIES) {
        await site.page.click(`#${id}`)
        await shows(site, name)
        await site.page.goBack()
        await expect.poll(site.state, site.patience).toMatchObject({ pathname: AT })
      }
      expect(site.documents).toHaveLength(1)
    },
    { also: otherLinks },
  ),
  inBrowser(16, 'has an address in the query of a link', async (site) => {
    await site.open(AT)
    await site.page.click('#address')
    const query = { of: 'http://example.com/' }
    await expect.poll(site.state, site.patience).toMatchObject({ query, props: { query } })
  }),
]

export const linkWithEncoding: Suite = {
  name: 'link-with-encoding',
  source: upstream('test/integration/link-with-encoding/test/index.test.js'),
  // A function called test, of an object, is none.
  tests: 16,
  rows: {},
  behaviours,
}
