// The suite of queries with encoded characters.

import { expect } from 'vitest'
import { type Behaviour, type BrowserSite, behavioursOf } from '../../harness/behaviour.ts'
import { type ResponseRow, type ResponseRows, responses } from '../../harness/responses.ts'
import { type Suite, upstream } from '../../harness/suite.ts'

const AT = '/query-with-encoding'

/** By the beginning of the ids of its links: a character, and how a URL has it. */
const CHARACTERS = { line: ['\n', '%0A'], space: [' ', '%20'], percent: ['%', '%25'], plus: ['+', '%2B'] } as const

const ENTRIES = Object.entries(CHARACTERS)
/** Each character has four tests: of the HTML, of a push and of two links. */
const numbersOf = (place: number) => ENTRIES.map((_, index) => 4 * index + place)

const { inBrowser } = behavioursOf('query-with-encoding')

const shows = (site: BrowserSite, query: object) => expect.poll(site.state, site.patience).toMatchObject({ query, props: { query } })

const [firstPush, ...otherPushes] = numbersOf(2)
const [firstLink, ...otherLinks] = [...numbersOf(3), ...numbersOf(4)]

const rows: ResponseRows = Object.fromEntries(
  ENTRIES.map(([id, [character, encoded]], index): [string, ResponseRow] => [
    `${4 * index + 1} decodes the query of a request (${id})`,
    { path: `?value=end${encoded}`, props: { query: { value: `end${character}` } } },
  ]),
)

const behaviours: readonly Behaviour[] = [
  ...responses('query-with-encoding', rows, { at: AT }),
  inBrowser(
    firstPush!,
    'encodes the query of a URL object that is pushed',
    async (site) => {
      await site.open(AT)
      for (const [character] of Object.values(CHARACTERS)) {
        const query = { pushed: `end${character}` }
        await site.page.evaluate(`void next.router.push(${JSON.stringify({ pathname: AT, query })})`)
        await shows(site, query)
      }
    },
    { also: otherPushes },
  ),
  inBrowser(
    firstLink!,
    'has the query of a link, in a text and in a URL object',
    async (site) => {
      await site.open(AT)
      for (const [id, [character]] of ENTRIES) {
        await site.page.click(`#${id}-text`)
        await shows(site, { text: `end${character}` })
        await site.page.click(`#${id}-object`)
        await shows(site, { value: `end${character}` })
      }
      expect(site.documents).toHaveLength(1)
    },
    { also: otherLinks },
  ),
]

export const queryWithEncoding: Suite = {
  name: 'query-with-encoding',
  source: upstream('test/integration/query-with-encoding/test/index.test.js'),
  tests: 16,
  rows: {},
  behaviours,
}
