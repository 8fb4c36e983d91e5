// The suite of pages/404 with getStaticProps in a site whose _app has getInitialProps.

import { expect } from 'vitest'
import { behavioursOf, type HttpSite } from '../../harness/behaviour.ts'
import { responses } from '../../harness/responses.ts'
import { FILE, type Suite, upstream } from '../../harness/suite.ts'

const { overHttp } = behavioursOf('404-page-ssg')

async function printOf(site: HttpSite, path: string) {
  const response = await site.fetch(path)
  expect(response.status).toBe(404)
  return /<p id="print">([^<]+)/.exec(await response.text())?.[1]
}

export const page404Ssg: Suite = {
  name: '404-page-ssg',
  source: upstream('test/integration/404-page-ssg/test/index.test.js'),
  tests: 8,
  rows: { 6: FILE, 7: FILE },
  behaviours: [
    overHttp(
      1,
      'builds the page, and serves it with status 404',
      async (site) => {
        expect(await printOf(site, '/404')).toBeDefined()
        expect(site.log().join('\n')).not.toContain('pages/404')
      },
      { configuration: 'only-index', also: [3, 8] },
    ),
    ...responses(
      '404-page-ssg',
      {
        '2 has the screen of errors for a page that fails': { path: '/fails', status: 500, text: /internal server error/i },
        '4 renders other pages': { path: '/index', text: '<h1>Index</h1>' },
      },
      { configuration: 'only-index' },
    ),
    overHttp(
      5,
      'does not render the page again',
      async (site) => {
        const print = await printOf(site, '/none')
        for (let request = 0; request < 3; request++) expect(await printOf(site, '/none')).toBe(print)
      },
      { configuration: 'only-index' },
    ),
  ],
}
