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

const box: CSSProperties = {
  display: 'flex',
  alignItems: 'center',
  justifyContent: 'center',
  gap: '1.25rem',
  height: '100vh',
  fontFamily: 'system-ui, sans-serif',
}
const DARK = '@media (prefers-color-scheme: dark) { body { color: #fff; background: #000 } }'

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
        <style>{`body { color: #000; background: #fff; margin: 0 } ${withDarkMode ? DARK : ''}`}</style>
        {statusCode ? <h1 className="next-error-h1">{statusCode}</h1> : null}
        <h2 style={{ fontSize: '0.875rem', fontWeight: 400 }}>{title}.</h2>
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
