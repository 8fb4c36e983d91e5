// Pages whose data is read for each request, over HTTP.

import { expect } from 'vitest'
import type { Behaviour, HttpSite, Run } from '../harness/behaviour.ts'

const AT = '/getserversideprops'
const SHIP = `${AT}/ships/aurora`

type OverHttp = Extract<Behaviour, { via: 'http' }>

function overHttp(number: number, does: string, run: Run<HttpSite>): OverHttp {
  return { id: `getserversideprops-${number}`, does, via: 'http', run }
}

/** What the data function of a page was asked, through an address of page data. */
function dataOf(number: number, does: string, path: string, asked: Record<string, unknown>): Behaviour {
  const [pathname = '', search] = path.split('?')
  const urlOfData = (site: HttpSite) =>
    `/_next/data/${site.buildId}${pathname}.json${search === undefined ? '' : `?${search}`}`
  return overHttp(number, does, async (site) => {
    expect((await site.data(path)).pageProps).toMatchObject({ ...asked, resolvedUrl: path, url: urlOfData(site) })
  })
}

/** What the data function of a page was asked, and what the page knows, in the HTML. */
function visit(number: number, does: string, path: string, query: object, resolvedUrl = path): Behaviour {
  return overHttp(number, does, async (site) => {
    const { asPath, query: shown, props } = await site.stateOf(path)
    expect(props).toMatchObject({ url: path, query, resolvedUrl })
    expect({ asPath, query: shown }).toEqual({ asPath: path, query })
  })
}

const NEVER_CACHED = 'private, no-cache, no-store, max-age=0, must-revalidate'

/** The header of a page and of its data. */
function cacheControl(number: number, does: string, path: string, expected: string): OverHttp {
  return overHttp(number, does, async (site) => {
    expect((await site.fetch(path)).headers.get('cache-control')).toBe(expected)
    const data = await site.fetch(`/_next/data/${site.buildId}${path}.json`)
    expect(data.headers.get('cache-control')).toBe(expected)
  })
}

/** The data element of a page. */
async function nextData(site: HttpSite, path: string): Promise<Record<string, unknown>> {
  const found = /<script id="__NEXT_DATA__"[^>]*>(.*?)<\/script>/s.exec(await site.text(path))
  return JSON.parse(found?.[1] ?? 'null') as Record<string, unknown>
}

async function isFound(site: HttpSite, path: string) {
  const response = await site.fetch(path)
  expect(response.status).toBe(200)
  expect(await response.text()).toContain('&quot;seen&quot;:true')
}

async function isNotFound(site: HttpSite, path: string) {
  const response = await site.fetch(path)
  expect(response.status).toBe(404)
  expect(await response.text()).not.toContain('id="state"')
}

export const http: readonly Behaviour[] = [
  overHttp(2, 'sends the response that the data function has ended', async (site) => {
    const response = await site.fetch(`${AT}/closed`)
    expect(response.status).toBe(200)
    expect(await response.text()).toBe('the office is closed')
  }),
  overHttp(3, 'serves a page to a POST', async (site) => {
    const response = await site.fetch(AT, { method: 'POST' })
    expect(response.status).toBe(200)
    expect(await response.text()).toContain('Harbour')
  }),
  overHttp(4, 'serves a page where notFound is false', (site) => isFound(site, `${AT}/hidden`)),
  overHttp(5, 'has no page where the data function says notFound', (site) => isNotFound(site, `${AT}/hidden?fog=1`)),
  overHttp(7, 'serves a page with a parameter where notFound is false', (site) => isFound(site, `${AT}/hidden/two`)),
  overHttp(8, 'has no page with a parameter where the data function says notFound', (site) =>
    isNotFound(site, `${AT}/hidden/two?fog=1`),
  ),
  overHttp(10, 'renders the props of the data function', async (site) => {
    expect((await site.stateOf(AT)).props).toEqual({ harbour: 'North' })
  }),
  overHttp(11, 'renders the props of a page with a parameter', async (site) => {
    expect((await site.stateOf(SHIP)).props).toMatchObject({ params: { ship: 'aurora' } })
  }),
  {
    id: 'getserversideprops-12',
    does: 'shows the page 500 of the site when the data function throws an error of a missing file',
    configuration: 'root',
    via: 'http',
    async run(site) {
      const response = await site.fetch(`${AT}/wreck`)
      expect(response.status).toBe(500)
      expect(await response.text()).toContain('<h1>Storm warning</h1>')
    },
  },
  overHttp(13, 'names the data function in the data element', async (site) => {
    expect(await nextData(site, AT)).toMatchObject({ gssp: true })
  }),
  overHttp(14, 'names no data function for a page without one', async (site) => {
    expect(await nextData(site, `${AT}/plan`)).not.toHaveProperty('gssp')
  }),
  overHttp(15, 'gives the data function the query, and the parameters alone', async (site) => {
    const { query, props } = await site.stateOf(`${SHIP}?deck=upper`)
    expect(query).toEqual({ deck: 'upper', ship: 'aurora' })
    expect(props).toMatchObject({ params: { ship: 'aurora' }, query })
  }),
  overHttp(16, 'gives a catch-all page its parameter, in the HTML and in the data', async (site) => {
    const { query, props } = await site.stateOf(`${AT}/docks/west`)
    expect({ query, props }).toEqual({ query: { path: ['west'] }, props: { path: ['west'] } })
    expect((await site.data(`${AT}/docks/west`)).pageProps).toEqual({ params: { path: ['west'] } })
  }),
  dataOf(17, 'knows the address of a request for data of a page with a parameter', SHIP, { query: { ship: 'aurora' } }),
  dataOf(18, 'knows that address with its query', `${SHIP}?deck=upper`, { query: { ship: 'aurora', deck: 'upper' } }),
  dataOf(19, 'knows the address of a request for data', `${AT}/tides`, { query: {} }),
  dataOf(20, 'knows the address of a request for data with its query', `${AT}/tides?moon=full`, {
    query: { moon: 'full' },
  }),
  visit(21, 'knows the address of a page with a parameter', SHIP, { ship: 'aurora' }),
  visit(22, 'knows the address that a rewrite hides', `${AT}/flagship`, { ship: 'aurora' }, SHIP),
  visit(
    23,
    'has the query that a rewrite adds, but not in resolvedUrl',
    `${AT}/newest`,
    { ship: 'borea', deck: 'upper' },
    `${AT}/ships/borea`,
  ),
  visit(
    24,
    'has the parameter of a rewrite that its destination does not use',
    `${AT}/ship-3`,
    { ship: 'corvus', number: '3' },
    `${AT}/ships/corvus`,
  ),
  visit(25, 'knows the address of a page with a parameter and a query', `${SHIP}?deck=upper`, {
    ship: 'aurora',
    deck: 'upper',
  }),
  visit(26, 'knows the address of a page', `${AT}/tides`, {}),
  overHttp(27, 'has the props of a page at the address of its data', async (site) => {
    expect((await site.data(AT)).pageProps).toEqual({ harbour: 'North' })
  }),
  overHttp(28, 'gives the data function the query of a request for data', async (site) => {
    expect((await site.data(`${AT}/tides?moon=full`)).pageProps.query).toEqual({ moon: 'full' })
  }),
  overHttp(29, 'has the props of a page with a parameter at the address of its data', async (site) => {
    expect((await site.data(SHIP)).pageProps.params).toEqual({ ship: 'aurora' })
  }),
  overHttp(30, 'awaits props that are a promise', async (site) => {
    expect((await site.stateOf(`${AT}/promised`)).props).toEqual({ cargo: 'tea' })
  }),
  overHttp(33, 'prefers the parameter of the path to a value of the query with its name', async (site) => {
    expect((await site.stateOf(`${SHIP}?ship=borea`)).query).toEqual({ ship: 'aurora' })
  }),
  overHttp(37, 'calls the data function for each request', async (site) => {
    const pages = await Promise.all(['one', 'two', 'three'].map(() => site.stateOf(`${AT}/tides`)))
    expect(new Set(pages.map(({ props }) => (props as { level: number }).level)).size).toBe(3)
  }),
  {
    ...cacheControl(50, 'lets no cache keep a page and its data', `${AT}/tides`, NEVER_CACHED),
    differs: {
      reason: 'no-store has the same effect without the other directives',
      run: cacheControl(50, '', `${AT}/tides`, 'private, no-store').run,
    },
  },
  cacheControl(51, 'sends the Cache-Control of the data function', `${AT}/kept`, 'public, max-age=3600'),
  overHttp(52, 'renders a value that JSON does not have', async (site) => {
    const response = await site.fetch(`${AT}/calendar`)
    expect(response.status).toBe(200)
    expect(await response.text()).toMatch(/<p id="day">Day (<!-- -->)?.*1890/)
  }),
  overHttp(54, 'renders a page that sets a header after its props, which were a promise', async (site) => {
    expect((await site.stateOf(`${AT}/late/promised`)).props).toEqual({ cargo: 'salt' })
  }),
  overHttp(55, 'renders a page that sets a header after its props', async (site) => {
    expect((await site.stateOf(`${AT}/late/plain`)).props).toEqual({ cargo: 'salt' })
  }),
]
