// `next/app`: the class that `_app` may extend (X1).

import { Component, type ComponentType } from 'react'
import type { Page } from '../react/page-types.ts'
import type { NextRouter } from './router-types.ts'
import type { NextPageContext } from './types.ts'

/** The props of `pages/_app`. */
// biome-ignore lint/suspicious/noExplicitAny: the type of Next.js, so that sites compile unchanged.
export interface AppProps<Props = any> {
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  Component: Page<any>
  pageProps: Props
  router: NextRouter
}
/** The argument of `reportWebVitals`. */
export interface NextWebVitalsMetric {
  id: string
  name: string
  /** Milliseconds since the page was requested. */
  startTime: number
  /** Milliseconds; the sum of shifts for CLS. */
  value: number
  /** `custom`: one of the durations. */
  label: 'web-vital' | 'custom'
}

/** The argument of getInitialProps, which the build refuses. */
export interface AppContext {
  Component: Page
  ctx: NextPageContext
  router: NextRouter
}
// biome-ignore lint/suspicious/noExplicitAny: as above.
export type AppInitialProps<Props = any> = { pageProps: Props }
// biome-ignore lint/suspicious/noExplicitAny: as above.
export type AppType<Props = any> = ComponentType<AppProps<Props>>

/** Renders the page with its props. */
// biome-ignore lint/suspicious/noExplicitAny: as above.
export default class App<Props = object, State = object> extends Component<Props & AppProps<any>, State> {
  override render() {
    // The cast: TypeScript does not see through the parameter of the class.
    const { Component: Shown, pageProps } = this.props as AppProps
    return <Shown {...pageProps} />
  }
}
