// `next/app`: the class that `_app` may extend (X1).

import { Component } from 'react'
import { appInitialProps } from './initial-props.ts'
import type { AppContext, AppInitialProps, AppProps } from './initial-types.ts'

export type { AppContext, AppInitialProps, AppProps, AppTreeType, AppType } from './initial-types.ts'

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

/** Renders the page with its props. */
// biome-ignore lint/suspicious/noExplicitAny: as above.
export default class App<Props = object, State = object> extends Component<Props & AppProps<any>, State> {
  static origGetInitialProps = appInitialProps
  /** The initial props of the page. An `_app` that has its own makes initial props of every page. */
  static getInitialProps: (context: AppContext) => Promise<AppInitialProps> = appInitialProps

  override render() {
    // The cast: TypeScript does not see through the parameter of the class.
    const { Component: Shown, pageProps } = this.props as AppProps
    return <Shown {...pageProps} />
  }
}
