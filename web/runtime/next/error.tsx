// `next/error`: the screen of an error (X3).

import { errorTitle } from '@portico/shared/wire/errors/error-titles.ts'
import { Component, type CSSProperties, type ReactNode } from 'react'
import Head from './head.tsx'
import type { NextPageContext } from './types.ts'

export interface ErrorProps {
  statusCode: number
  /** Replaces the text of the status. */
  title?: string
  /** false: light colours only. */
  withDarkMode?: boolean
}

/** Elements and values are those of Next.js: sites have styles and tests for them. */
const box: CSSProperties = {
  fontFamily: 'system-ui,"Segoe UI",Roboto,Helvetica,Arial,sans-serif,"Apple Color Emoji","Segoe UI Emoji"',
  height: '100vh',
  textAlign: 'center',
  display: 'flex',
  flexDirection: 'column',
  alignItems: 'center',
  justifyContent: 'center',
}
const status: CSSProperties = {
  display: 'inline-block',
  margin: '0 20px 0 0',
  paddingRight: 23,
  fontSize: 24,
  fontWeight: 500,
  verticalAlign: 'top',
}
const LIGHT = 'body{color:#000;background:#fff;margin:0}.next-error-h1{border-right:1px solid rgba(0,0,0,.3)}'
const DARK =
  '@media (prefers-color-scheme:dark){body{color:#fff;background:#000}.next-error-h1{border-right:1px solid rgba(255,255,255,.3)}}'

/** A screen with the status and its text. A class, because sites extend it. */
export default class ErrorScreen<Props = object> extends Component<Props & ErrorProps> {
  static displayName = 'ErrorPage'
  static origGetInitialProps = errorInitialProps
  static getInitialProps: (context: NextPageContext) => ErrorProps | Promise<ErrorProps> = errorInitialProps

  override render(): ReactNode {
    const { statusCode, withDarkMode = true } = this.props
    const title = this.props.title ?? (statusCode ? errorTitle(statusCode) : CLIENT_ERROR)
    return (
      <div style={box}>
        <Head>
          <title>{statusCode ? `${statusCode}: ${title}` : title}</title>
        </Head>
        <div style={{ lineHeight: '48px' }}>
          <style>{`${LIGHT}${withDarkMode ? DARK : ''}`}</style>
          {statusCode ? (
            <h1 className="next-error-h1" style={status}>
              {statusCode}
            </h1>
          ) : null}
          <div style={{ display: 'inline-block' }}>
            <h2 style={{ fontSize: 14, fontWeight: 400, lineHeight: '28px' }}>{title}.</h2>
          </div>
        </div>
      </div>
    )
  }
}

/** The status of the response, or of an error in the browser; without both no page has been found. */
function errorInitialProps({ res, err }: NextPageContext): ErrorProps {
  // The cast: an error of the browser has no status, and its screen shows none.
  return { statusCode: (res?.statusCode ?? (err ? err.statusCode : 404)) as number }
}

const CLIENT_ERROR = 'Application error: a client-side exception has occurred'
