// Pages with parameters in their path, over HTTP.

import { expect } from 'vitest'
import type { Behaviour, HttpSite } from '../harness/behaviour.ts'
import { servesText } from '../serves-text.ts'

const AT = '/dynamic-routing'

export const http: readonly Behaviour[] = [
  {
    id: 'dynamic-routing-3',
    does: 'serves a page whose parameter has 250 characters',
    via: 'http',
    async run(site) {
      const response = await site.fetch(`${AT}/rooms/${'Ab3'.repeat(84)}`)
      expect(response.status).toBe(200)
      expect(await response.text()).toContain(`${AT}/rooms/[room-name]`)
    },
  },
  {
    id: 'dynamic-routing-8',
    does: 'gives a page without parameters an empty query',
    via: 'http',
    async run(site) {
      expect((await site.stateOf(AT)).query).toEqual({})
    },
  },
  {
    id: 'dynamic-routing-9',
    does: 'serves the index page beside a page with a parameter',
    via: 'http',
    async run(site) {
      expect(await site.text(AT)).toContain('<h1>Library</h1>')
    },
  },
  {
    id: 'dynamic-routing-10',
    does: 'serves a page of a fixed name instead of the page with a parameter beside it',
    via: 'http',
    async run(site) {
      expect(await site.text(`${AT}/opening-hours`)).toContain('<h1>Opening hours</h1>')
    },
  },
  {
    id: 'dynamic-routing-11',
    does: 'gives a page the parameter of its path',
    via: 'http',
    async run(site) {
      expect(await site.stateOf(`${AT}/maps`)).toMatchObject({
        pathname: `${AT}/[shelf]`,
        asPath: `${AT}/maps`,
        query: { shelf: 'maps' },
      })
    },
  },
  {
    id: 'dynamic-routing-12',
    does: 'prefers a fixed segment to a parameter below a parameter',
    via: 'http',
    async run(site) {
      expect(await site.text(`${AT}/maps/loans`)).toMatch(/<h1>Loans of (<!-- -->)?maps<\/h1>/)
    },
  },
  {
    id: 'dynamic-routing-13',
    does: 'gives a page both parameters of its path',
    via: 'http',
    async run(site) {
      expect((await site.stateOf(`${AT}/maps/alps`)).query).toEqual({ shelf: 'maps', book: 'alps' })
    },
  },
  {
    id: 'dynamic-routing-14',
    does: 'has no page for a path whose last parameter is missing',
    via: 'http',
    async run(site) {
      expect((await site.fetch(`${AT}/branches/hill/street`)).status).toBe(404)
    },
  },
  {
    id: 'dynamic-routing-15',
    does: 'gives a page the parameters around a fixed segment',
    via: 'http',
    async run(site) {
      const { query } = await site.stateOf(`${AT}/branches/hill/street/12`)
      expect(query).toEqual({ town: 'hill', number: '12' })
    },
  },
  {
    id: 'dynamic-routing-16',
    does: 'serves a page with a parameter at /api',
    configuration: 'root',
    via: 'http',
    run: (site) => servesText(site, '/api', '&quot;path&quot;:[&quot;api&quot;]'),
    differs: {
      reason:
        'addresses at /api are those of API handlers, and another service runs them: no page hides a missing handler',
      async run(site: HttpSite) {
        const response = await site.fetch('/api')
        expect([response.status, response.headers.get('content-type')]).toEqual([
          404,
          'application/json; charset=utf-8',
        ])
      },
    },
  },
  {
    id: 'dynamic-routing-31',
    does: 'gives getInitialProps the parameter of the path on the server',
    via: 'http',
    async run(site) {
      expect((await site.stateOf(`${AT}/guests/anna`)).props).toEqual({ guest: 'anna' })
    },
  },
  {
    id: 'dynamic-routing-33',
    does: 'has no page for the folder of a catch-all page',
    via: 'http',
    async run(site) {
      expect((await site.fetch(`${AT}/archive/by/date`)).status).toBe(404)
    },
  },
  ...(
    [
      [34, 'one segment', '/1890', ['1890']],
      [35, 'two segments', '/1890/may', ['1890', 'may']],
      [37, 'an encoded slash at the beginning of a segment', '/1890/%2Fmay', ['1890', '/may']],
      [38, 'an encoded slash at the end of a segment', '/1890%2F/may', ['1890/', 'may']],
      [39, 'an encoded slash within a segment', '/1890/ma%2Fy', ['1890', 'ma/y']],
    ] as const
  ).map(
    ([number, what, path, expected]): Behaviour => ({
      id: `dynamic-routing-${number}`,
      does: `gives a catch-all page ${what} of its path`,
      via: 'http',
      async run(site) {
        expect((await site.stateOf(`${AT}/archive/by/date${path}`)).props).toEqual({ path: expected })
      },
    }),
  ),
  {
    id: 'dynamic-routing-36',
    does: 'gives a catch-all page the segments without the slash at the end of the path',
    via: 'http',
    async run(site) {
      const response = await site.fetch(`${AT}/archive/by/date/1890/may/`, { redirect: 'follow' })
      expect(response.status).toBe(200)
      expect(response.url).toBe(`${site.origin}${AT}/archive/by/date/1890/may`)
    },
  },
  ...(
    [
      [44, 'one segment, of a page made on request', '/any/1890', ['1890']],
      [45, 'two segments, of a page made on request', '/any/1890/may', ['1890', 'may']],
      [46, 'one segment, of a page in a folder of its own', '/nested/1890', ['1890']],
      [47, 'two segments, of a page in a folder of its own', '/nested/1890/may', ['1890', 'may']],
      [48, 'one segment that getStaticPaths does not name', '/known/1891', ['1891']],
      [49, 'two segments that getStaticPaths does not name', '/known/1891/may', ['1891', 'may']],
      [50, 'one segment that getStaticPaths names', '/known/1890', ['1890']],
      [51, 'two segments that getStaticPaths names', '/known/1890/june', ['1890', 'june']],
    ] as const
  ).map(
    ([number, what, path, expected]): Behaviour => ({
      id: `dynamic-routing-${number}`,
      does: `has the data of getStaticProps for ${what}`,
      via: 'http',
      async run(site) {
        expect((await site.data(`${AT}/issues/of${path}`)).pageProps.params).toEqual({ path: expected })
      },
    }),
  ),
  {
    id: 'dynamic-routing-60',
    does: 'has no name of a parameter in the place of its value in the HTML',
    via: 'http',
    async run(site) {
      const { query } = await site.stateOf(`${AT}/guides/garden`)
      expect(Object.values(query)).not.toContain('[guide]')
    },
  },
  {
    id: 'dynamic-routing-64',
    does: 'serves a public file instead of the page with a parameter of the same path',
    via: 'http',
    async run(site) {
      expect(await site.text(`${AT}/plan.txt`)).toBe('the plan of the building\n')
    },
  },
  ...(
    [
      [65, 'a space, which the client encodes', '/floor one.txt', 'a space\n'],
      [66, 'a plus sign', '/floor+one.txt', 'a plus sign\n'],
      [67, 'an encoded space', '/floor%20one.txt', 'a space\n'],
      [68, 'an encoded percent sign', '/floor%2520one.txt', 'a percent sign\n'],
    ] as const
  ).map(
    ([number, what, path, expected]): Behaviour => ({
      id: `dynamic-routing-${number}`,
      does: `serves a public file by a path with ${what}`,
      via: 'http',
      async run(site) {
        const response = await site.fetch(AT + path)
        expect(response.status).toBe(200)
        expect(await response.text()).toBe(expected)
      },
    }),
  ),
  ...(
    [
      [69, 'a space, which the client encodes', '/floor one.txt', 'a space\n'],
      [70, 'a plus sign', '/floor+one.txt', 'a plus sign\n'],
      [71, 'an encoded space', '/floor%20one.txt', 'a space\n'],
      [72, 'an encoded percent sign', '/floor%2520one.txt', 'a percent sign\n'],
    ] as const
  ).map(
    ([number, what, path, expected]): Behaviour => ({
      id: `dynamic-routing-${number}`,
      does: `serves a file of the folder static by a path with ${what}`,
      via: 'http',
      async run(site) {
        const response = await site.fetch(`/static${AT}${path}`)
        expect(response.status).toBe(200)
        expect(await response.text()).toBe(expected)
      },
      differs: {
        reason: 'public/static is the place of these files: the build names the old folder and this remedy',
        async run(site: HttpSite) {
          expect((await site.fetch(`/static${AT}${path}`)).status).toBe(404)
        },
      },
    }),
  ),
  {
    id: 'dynamic-routing-73',
    does: 'refuses a path whose percent encoding is incomplete',
    via: 'http',
    async run(site) {
      expect((await site.fetch(`${AT}/%`)).status).toBe(400)
    },
  },
]
