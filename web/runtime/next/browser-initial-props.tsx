// getInitialProps in the browser (X11): navigations to pages with initial props call it there, as in Next.js. In place of
// browser/views/view-props.ts in sites of Next.js.

import { App as Framed, SiteApp } from 'virtual:portico/browser-app'
import { controlFlowOf } from '@portico/shared/wire/errors/control-flow.ts'
import { localeNames } from '@portico/shared/wire/locales/locales.ts'
import { flatProps } from '@portico/shared/wire/next/next-data.ts'
import { parseQuery, splitTarget } from '@portico/shared/wire/routing/urls.ts'
import { localAsPath, localeOfUrl } from '../react/locale-paths.ts'
import type { LoadedPage, ViewProps } from '../react/page-types.ts'
import { asPathOf, RouterContext, RuntimeContext } from '../react/router-context.ts'
import { hasOwnInitialProps, loadProps } from './initial-props.ts'
import type { AppContext, AppTreeType, AppType, NextPageContext } from './initial-types.ts'
import Router, { shownPage } from './router.tsx'

// The cast: the build puts `_app` itself here.
const App = SiteApp as unknown as AppType

export const viewProps: ViewProps = {
  async load(page) {
    const { route, params } = page
    try {
      return { kind: 'page', route, params, props: await loadProps(App, contextOf(page)) }
    } catch (error) {
      const flow = controlFlowOf(error)
      if (!flow) throw error
      return flow
    }
  },
  async ofScreen(page) {
    if (!hasOwnInitialProps(App) && !hasOwnInitialProps(page.Page) && page.error === undefined) return {}
    return loadProps(App, contextOf(page))
  },
}

function contextOf({ Page, route, params, url, address, basePath, error }: LoadedPage): AppContext {
  const AppTree: AppTreeType = (props) => {
    const shown = shownPage()
    return (
      shown &&
      Framed && (
        <RuntimeContext value={shown.runtime}>
          <RouterContext value={shown.state}>
            <Framed Component={Page} pageProps={flatProps(props)} router={shown.state.router} />
          </RouterContext>
        </RuntimeContext>
      )
    )
  }
  const query = { ...parseQuery(splitTarget(url).search), ...params }
  const { i18n } = shownPage()?.runtime ?? {}
  const asPath = process.env.PORTICO_I18N
    ? localAsPath({ basePath, ...(i18n && { i18n }) }, address)
    : asPathOf(address, basePath)
  const locales = process.env.PORTICO_I18N ? localeNames(i18n, localeOfUrl(i18n, url, basePath)) : {}
  // The cast: the site's code may throw any value.
  const ctx: NextPageContext = { pathname: route, query, asPath, ...locales, AppTree }
  if (error !== undefined) ctx.err = error as Error
  return { Component: Page, ctx, router: Router, AppTree }
}
