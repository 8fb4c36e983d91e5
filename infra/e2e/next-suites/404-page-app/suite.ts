// The suite of pages/404 in a site whose _app has getInitialProps.

import { expect } from 'vitest'
import { FILE, notApplicable, type Suite } from '../harness/suite.ts'

export const page404App: Suite = {
  name: '404-page-app',
  source: {
    repository: 'ijjk/next.js',
    commit: 'b591159d4699f9bad4766e24b65d8fa8b6cda37d',
    file: 'test/integration/404-page-app/test/index.test.js',
  },
  tests: 5,
  rows: {
    3: FILE,
    5: notApplicable('warnings of the development build'),
  },
  behaviours: [
    {
      id: '404-page-app-1',
      also: [4],
      does: 'builds, and serves the page with the props of the app for a path without a page',
      configuration: 'app',
      via: 'http',
      async run(site) {
        const response = await site.fetch('/nothing/grows')
        expect(response.status).toBe(404)
        expect(await response.text()).toContain('<p id="motto">Water at dawn</p>')
      },
    },
    {
      id: '404-page-app-2',
      does: 'renders the page for each request',
      configuration: 'app',
      via: 'http',
      async run(site) {
        const html = await site.text('/404')
        expect(html).toContain('"appGip":true')
        expect(html).not.toContain('"autoExport"')
      },
    },
  ],
}
