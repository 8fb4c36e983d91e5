// Pages whose data is read for each request, over HTTP.

import { expect } from 'vitest'
import { behavioursOf, type HttpBehaviour } from '../../harness/behaviour.ts'
import { type Exchange, type ResponseRow, responses } from '../../harness/responses.ts'

const NAME = 'getserversideprops'
const AT = `/${NAME}`
const SHIP = `${AT}/ships/aurora`

const { overHttp } = behavioursOf(NAME)

/** What the data function of a page was asked, through an address of page data. */
function dataOf(number: number, does: string, path: string, query: object): HttpBehaviour {
  return overHttp(number, does, async (site) => {
    const url = site.dataAt(path)
    expect((await site.data(path)).pageProps).toMatchObject({ query, resolvedUrl: path, url })
  })
}

/** What the data function of a page was asked, and what the page knows, in the HTML. */
const visit = (path: string, query: object, resolvedUrl = path): ResponseRow => ({
  path,
  state: { asPath: path, props: { url: path, query, resolvedUrl } },
  query,
})

const NEVER_CACHED = 'private, no-cache, no-store, max-age=0, must-revalidate'

/** The header of a page and of its data. */
const kept = (path: string, value: string): { requests: readonly Exchange[] } => ({
  requests: [
    { path, headers: { 'cache-control': value } },
    { data: path, headers: { 'cache-control': value } },
  ],
})

const FOUND = { status: 200, text: '&quot;seen&quot;:true' }
const NOT_FOUND = { status: 404, without: 'id="state"' }

const plain = responses(NAME, {
  '2 sends the response that the data function has ended': { path: `${AT}/closed`, status: 200, body: 'the office is closed' },
  '3 serves a page to a POST': { path: AT, request: { method: 'POST' }, status: 200, text: 'Harbour' },
  '4 serves a page where notFound is false': { path: `${AT}/hidden`, ...FOUND },
  '5 has no page where the data function says notFound': { path: `${AT}/hidden?fog=1`, ...NOT_FOUND },
  '7 serves a page with a parameter where notFound is false': { path: `${AT}/hidden/two`, ...FOUND },
  '8 has no page with a parameter where the data function says notFound': { path: `${AT}/hidden/two?fog=1`, ...NOT_FOUND },
  '10 renders the props of the data function': { path: AT, props: { harbour: 'North' } },
  '11 renders the props of a page with a parameter': { path: SHIP, state: { props: { params: { ship: 'aurora' } } } },
  '12 shows the page 500 of the site when the data function throws an error of a missing file': {
    configuration: 'root',
    path: `${AT}/wreck`,
    status: 500,
    text: '<h1>Storm warning</h1>',
  },
  '13 names the data function in the data element': { path: AT, nextData: { gssp: true } },
  '14 names no data function for a page without one': { path: `${AT}/plan`, withoutNextData: ['gssp'] },
  '15 gives the data function the query, and the parameters alone': {
    path: `${SHIP}?deck=upper`,
    query: { deck: 'upper', ship: 'aurora' },
    state: { props: { params: { ship: 'aurora' }, query: { deck: 'upper', ship: 'aurora' } } },
  },
  '16 gives a catch-all page its parameter, in the HTML and in the data': {
    requests: [
      { path: `${AT}/docks/west`, query: { path: ['west'] }, props: { path: ['west'] } },
      { data: `${AT}/docks/west`, pageProps: { params: { path: ['west'] } } },
    ],
  },
  '21 knows the address of a page with a parameter': visit(SHIP, { ship: 'aurora' }),
  '22 knows the address that a rewrite hides': visit(`${AT}/flagship`, { ship: 'aurora' }, SHIP),
  '23 has the query that a rewrite adds, but not in resolvedUrl': visit(`${AT}/newest`, { ship: 'borea', deck: 'upper' }, `${AT}/ships/borea`),
  '24 has the parameter of a rewrite that its destination does not use': visit(`${AT}/ship-3`, { ship: 'corvus', number: '3' }, `${AT}/ships/corvus`),
  '25 knows the address of a page with a parameter and a query': visit(`${SHIP}?deck=upper`, { ...{ ship: 'aurora', deck: 'upper' } }),
  '26 knows the address of a page': visit(`${AT}/tides`, {}),
  '27 has the props of a page at the address of its data': { data: AT, pageProps: { harbour: 'North' } },
  '29 has the props of a page with a parameter at the address of its data': { data: SHIP, params: { ship: 'aurora' } },
  '30 awaits props that are a promise': { path: `${AT}/promised`, props: { cargo: 'tea' } },
  '33 prefers the parameter of the path to a value of the query with its name': { path: `${SHIP}?ship=borea`, query: { ship: 'aurora' } },
  '50 lets no cache keep a page and its data': {
    ...kept(`${AT}/tides`, NEVER_CACHED),
    differs: { reason: 'no-store has the same effect without the other directives', ...kept(`${AT}/tides`, 'private, no-store') },
  },
  '51 sends the Cache-Control of the data function': kept(`${AT}/kept`, 'public, max-age=3600'),
  '52 renders a value that JSON does not have': { path: `${AT}/calendar`, status: 200, text: /<p id="day">Day (<!-- -->)?.*1890/ },
  '54 renders a page that sets a header after its props, which were a promise': { path: `${AT}/late/promised`, props: { cargo: 'salt' } },
  '55 renders a page that sets a header after its props': { path: `${AT}/late/plain`, props: { cargo: 'salt' } },
})

export const http = [
  ...plain,
  dataOf(17, 'knows the address of a request for data of a page with a parameter', SHIP, { ship: 'aurora' }),
  dataOf(18, 'knows that address with its query', `${SHIP}?deck=upper`, { ship: 'aurora', deck: 'upper' }),
  dataOf(19, 'knows the address of a request for data', `${AT}/tides`, {}),
  dataOf(20, 'knows the address of a request for data with its query', `${AT}/tides?moon=full`, { moon: 'full' }),
  overHttp(28, 'gives the data function the query of a request for data', async (site) => {
    expect((await site.data(`${AT}/tides?moon=full`)).pageProps.query).toEqual({ moon: 'full' })
  }),
  overHttp(37, 'calls the data function for each request', async (site) => {
    const pages = await Promise.all(['one', 'two', 'three'].map(() => site.stateOf(`${AT}/tides`)))
    expect(new Set(pages.map(({ props }) => (props as { level: number }).level)).size).toBe(3)
  }),
]
