// Pages and API handlers with an optional catch-all parameter, over HTTP.

import { expect } from 'vitest'
import type { Behaviour } from '../harness/behaviour.ts'

const AT = '/dynamic-optional-routing'

/** What a page got for a path; `undefined` where the path has no segment. */
type Segments = readonly string[] | undefined

/** A redirect to the path without a slash at its end is followed. */
function page(
  number: number,
  does: string,
  path: string,
  segments: Segments,
  rest: Partial<Behaviour> = {},
): Behaviour {
  return {
    id: `dynamic-optional-routing-${number}`,
    does,
    ...(rest as object),
    via: 'http',
    async run(site) {
      const response = await site.fetch(path, { redirect: 'follow' })
      expect(response.status).toBe(200)
      const { props } = await site.stateOf(new URL(response.url).pathname)
      expect(props).toEqual(segments ? { path: segments } : {})
    },
  }
}

function handler(number: number, does: string, path: string, segments: Segments): Behaviour {
  return {
    id: `dynamic-optional-routing-${number}`,
    does,
    via: 'http',
    async run(site) {
      const response = await site.fetch(`/api${AT}${path}`, { redirect: 'follow' })
      expect(response.status).toBe(200)
      expect(await response.json()).toEqual(segments ? { path: segments } : {})
    },
  }
}

const ROOT = { configuration: 'root' } as const

export const http: readonly Behaviour[] = [
  page(1, 'gives a page for the whole site two segments', '/one/two', ['one', 'two'], ROOT),
  page(2, 'gives a page for the whole site one segment', '/one', ['one'], ROOT),
  page(3, 'serves the root of the site by a page for the whole site', '/', undefined, ROOT),
  page(4, 'gives a page below a folder two segments', `${AT}/nested/one/two`, ['one', 'two']),
  page(5, 'gives a page below a folder one segment', `${AT}/nested/one`, ['one']),
  page(6, 'serves the path of the folder without a parameter', `${AT}/nested`, undefined),
  page(7, 'serves the path of the folder with a slash at its end', `${AT}/nested/`, undefined),
  handler(8, 'gives an API handler two segments', '/one/two', ['one', 'two']),
  handler(9, 'gives an API handler one segment', '/one', ['one']),
  handler(10, 'calls an API handler at the path of its folder', '', undefined),
  handler(11, 'calls an API handler at the path of its folder with a slash at its end', '/', undefined),
  page(12, 'serves a listed path without segments', `${AT}/known`, undefined),
  page(13, 'serves a listed path without segments, with a slash at its end', `${AT}/known/`, undefined),
  page(14, 'serves a listed path of one segment', `${AT}/known/one`, ['one']),
  page(15, 'serves a listed path of one segment, with a slash at its end', `${AT}/known/one/`, ['one']),
  page(16, 'serves a listed path of two segments', `${AT}/known/one/two`, ['one', 'two']),
  page(17, 'serves a listed path of two segments, with a slash at its end', `${AT}/known/one/two/`, ['one', 'two']),
  page(
    18,
    'leaves a path that a page does not list to the page for the whole site',
    `${AT}/closed/two`,
    ['dynamic-optional-routing', 'closed', 'two'],
    ROOT,
  ),
  page(19, 'serves the path of the folder where the listed parameter is undefined', `${AT}/undefined`, undefined),
  page(20, 'serves the path of the folder where the listed parameter is false', `${AT}/false`, undefined),
  page(21, 'serves the path of the folder where the listed parameter is null', `${AT}/null`, undefined),
  ...(
    [
      [22, 'a listed path without segments', '', { params: {}, isFallback: false }],
      [23, 'a listed path of two segments', '/one/two', { params: { path: ['one', 'two'] }, isFallback: false }],
      [24, 'a path that is not listed, without its data at first', '/other', { isFallback: true }],
    ] as const
  ).map(
    ([number, what, path, expected]): Behaviour => ({
      id: `dynamic-optional-routing-${number}`,
      does: `serves ${what}, by a page with a fallback`,
      via: 'http',
      async run(site) {
        expect((await site.stateOf(`${AT}/made${path}`)).props).toEqual(expected)
      },
    }),
  ),
]
