// The suite of the page 404 of a page that has listed paths only.

import { expect } from 'vitest'
import { behavioursOf } from '../harness/behaviour.ts'
import { type Suite, upstream } from '../harness/suite.ts'

const { overHttp } = behavioursOf('ssg-dynamic-routes-404-page')

export const ssgDynamicRoutes404Page: Suite = {
  name: 'ssg-dynamic-routes-404-page',
  source: upstream('test/integration/ssg-dynamic-routes-404-page/test/index.test.js'),
  tests: 2,
  rows: {},
  behaviours: [
    overHttp(
      1,
      'builds, and shows the page 404 of the site for a path that is not listed',
      async (site) => {
        expect(await site.text('/posts/1')).toContain('<h1>Post</h1>')
        const response = await site.fetch('/posts/2')
        expect(response.status).toBe(404)
        expect(await response.text()).toContain('404 Nowhere')
      },
      { configuration: 'frame', also: [2] },
    ),
  ],
}
