// getInitialProps of the pages and `_app` of a site on the server (X11): for the renderer, and for the build, which finds
// out which pages have initial props.

import type { SiteInitialProps } from '@portico/shared/wire/next/initial-props.ts'
import type { SiteTools } from '../react/document-frame.ts'
import { hasOwnInitialProps, type InitialComponent, loadProps } from './initial-props.ts'
import type { AppType } from './initial-types.ts'
import { createNextRouter } from './next-router.ts'
import { appTreeOf, contextOf } from './server-context.tsx'
import { createFrame } from './server-frame.tsx'

/** Screens that extend `next/error` have its function, which needs nothing but the status. */
const SCREENS: readonly string[] = ['/404', '/500', '/_error']

export function siteInitialProps(App: AppType, { pageOf, viewOf }: SiteTools): SiteInitialProps {
  const ofApp = hasOwnInitialProps(App)
  return {
    ofApp,
    async has(route) {
      const Page: InitialComponent = await pageOf(route)
      return ofApp || (SCREENS.includes(route) ? hasOwnInitialProps(Page) : Page.getInitialProps !== undefined)
    },
    async load(page) {
      const { hydration } = page
      const Page = await pageOf(hydration.route)
      const { router, runtime, treeOf } = viewOf(hydration)
      const AppTree = appTreeOf(App, Page, { data: 'initial', treeOf })
      // Without the prefix of a locale.
      const ctx = { ...contextOf(page, createFrame('initial'), AppTree), asPath: router.asPath }
      return loadProps(App, { Component: Page, ctx, router: createNextRouter(router, runtime), AppTree })
    },
  }
}
