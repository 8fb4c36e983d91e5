// The suite of a site whose only page is in a folder called index.

import { expect } from 'vitest'
import { behavioursOf } from '../harness/behaviour.ts'
import { type Suite, upstream } from '../harness/suite.ts'

const { overHttp } = behavioursOf('route-index')

const responds = (number: number, path: string, status: number, text: string) =>
  overHttp(
    number,
    `responds ${status} to ${path}`,
    async (site) => {
      const response = await site.fetch(path, { redirect: 'follow' })
      expect(response.status).toBe(status)
      expect(await response.text()).toContain(text)
    },
    { configuration: 'only-index' },
  )

export const routeIndex: Suite = {
  name: 'route-index',
  source: upstream('test/integration/route-index/test/index.test.js'),
  tests: 5,
  rows: {},
  behaviours: [
    responds(1, '/', 404, '</html>'),
    responds(2, '/index', 200, '<h1>Index</h1>'),
    responds(3, '/index/index', 404, '</html>'),
    responds(4, '/index/?odd%60%3C%25%22%27%7B%24%2A%25%5C', 200, '<h1>Index</h1>'),
    responds(5, '/index?file%3A%5C', 200, '<h1>Index</h1>'),
  ],
}
