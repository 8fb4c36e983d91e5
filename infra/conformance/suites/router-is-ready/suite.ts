// The suite of `isReady`: whether the router of a page has the query of its address.

import { expect } from 'vitest'
import { type Behaviour, type BrowserSite, behavioursOf } from '../../harness/behaviour.ts'
import { type Suite, upstream } from '../../harness/suite.ts'

const AT = '/router-is-ready'

const { inBrowser } = behavioursOf('router-is-ready')

/** What `isReady` was in turn, after a document. */
const was =
  (path: string, ...values: boolean[]) =>
  async (site: BrowserSite) => {
    await site.open(AT + path)
    await expect.poll(() => site.page.evaluate(() => window.ready), site.patience).toEqual(values)
  }

/** On a site without rewrites: the others read the query from them first. */
function immediately(number: number, does: string, path: string): Behaviour {
  return {
    ...inBrowser(number, does, was(path, true), { configuration: 'trailing-slash' }),
    differs: { reason: 'the first render in the browser is that of the HTML', run: was(path, false, true) },
  }
}

export const routerIsReady: Suite = {
  name: 'router-is-ready',
  source: upstream('test/integration/router-is-ready/test/index.test.js'),
  tests: 10,
  rows: {},
  behaviours: [
    inBrowser(1, 'is ready on a page with initial props', was('/initial', true)),
    inBrowser(2, 'is ready on a page with initial props and a query', was('/initial?a=1', true)),
    inBrowser(3, 'is ready on a page that is rendered for each request', was('/each-time', true)),
    inBrowser(4, 'is ready on such a page with a query', was('/each-time?a=1', true)),
    immediately(5, 'is ready on a page without data', '/unset/'),
    inBrowser(6, 'is ready after hydration on a page without data, with a query', was('/unset?a=1', false, true)),
    inBrowser(7, 'is ready after hydration on a page without data, with a parameter', was('/unset/a', false, true)),
    inBrowser(8, 'is ready after hydration on such a page with a query', was('/unset/a?b=1', false, true)),
    inBrowser(9, 'is ready after hydration on a prerendered page with a query', was('/made?a=1', false, true)),
    immediately(10, 'is ready on a prerendered page without a query', '/made/'),
  ],
}

declare global {
  interface Window {
    /** Written by the pages. */
    ready?: boolean[]
  }
}
