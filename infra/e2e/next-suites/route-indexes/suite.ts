// The suite of pages and handlers called index.

import { expect } from 'vitest'
import { behavioursOf } from '../harness/behaviour.ts'
import { type Suite, upstream } from '../harness/suite.ts'

const AT = '/route-indexes'
const API = `/api${AT}`

const { overHttp } = behavioursOf('route-indexes')

const has = (number: number, path: string, text: string) =>
  overHttp(number, `serves ${path}`, async (site) => {
    const response = await site.fetch(path)
    expect(response.status).toBe(200)
    expect(await response.text()).toContain(text)
  })

const lacks = (number: number, path: string) =>
  overHttp(number, `has nothing at ${path}`, async (site) => {
    expect((await site.fetch(path)).status).toBe(404)
  })

export const routeIndexes: Suite = {
  name: 'route-indexes',
  source: upstream('test/integration/route-indexes/test/index.test.js'),
  tests: 16,
  rows: {},
  behaviours: [
    has(1, '/', '</html>'),
    lacks(2, '/index'),
    lacks(3, '/index/index'),
    lacks(4, `${AT}/nested`),
    has(5, `${AT}/nested/index`, 'Nested index'),
    lacks(6, `${AT}/nested/index/index`),
    has(7, `${AT}/sub`, 'All of sub'),
    has(8, `${AT}/sub/index`, 'One of sub'),
    lacks(9, `${AT}/sub/index/index`),
    has(10, `${AT}/sub/other`, 'One of sub'),
    lacks(11, `${AT}/sub/other/index`),
    has(12, API, 'all of sub'),
    has(13, `${API}/index`, 'one of sub'),
    lacks(14, `${API}/index/index`),
    has(15, `${API}/other`, 'one of sub'),
    lacks(16, `${API}/other/index`),
  ],
}
