// The suite of `isReady` in a site whose _app has getInitialProps.

import { expect } from 'vitest'
import { type BrowserSite, behavioursOf } from '../../harness/behaviour.ts'
import { type Suite, upstream } from '../../harness/suite.ts'

const AT = '/router-is-ready-app-gip'

const { inBrowser } = behavioursOf('router-is-ready-app-gip')

/** What `isReady` was in turn, after a document. */
const was =
  (path: string, ...values: boolean[]) =>
  async (site: BrowserSite) => {
    await site.open(AT + path)
    await expect.poll(() => site.page.evaluate(() => window.ready), site.patience).toEqual(values)
  }

const app = { configuration: 'app' } as const

export const routerIsReadyAppGip: Suite = {
  name: 'router-is-ready-app-gip',
  source: upstream('test/integration/router-is-ready-app-gip/test/index.test.js'),
  tests: 4,
  rows: {},
  behaviours: [
    inBrowser(1, 'is ready on a page without data', was('/plain', true), app),
    inBrowser(2, 'is ready on a page without data, with a query', was('/plain?a=1', true), app),
    {
      ...inBrowser(3, 'is ready on a prerendered page', was('/made', true), app),
      differs: { reason: 'the first render in the browser is that of the HTML', run: was('/made', false, true) },
    },
    inBrowser(4, 'is ready after hydration on a prerendered page with a query', was('/made?a=1', false, true), app),
  ],
}
