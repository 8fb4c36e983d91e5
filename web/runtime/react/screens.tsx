// Default screens: not found, error, and the browser's application error (E1-E4). An app folder's own 404, 500 and
// _error pages take their place.

import type { CSSProperties } from 'react'
import {
  CLIENT_EXCEPTION_TEXT,
  errorTitle,
  NOT_FOUND_TEXT,
  SERVER_EXCEPTION_TEXT,
} from '../../../services/shared/wire/error-titles.ts'
import type { ErrorPageProps } from './page-types.ts'

const box: CSSProperties = {
  minHeight: '60vh',
  display: 'flex',
  flexWrap: 'wrap',
  gap: '.25rem 1.25rem',
  alignItems: 'baseline',
  alignContent: 'center',
  justifyContent: 'center',
  padding: '2rem',
}
const heading: CSSProperties = { fontSize: '1.5rem', margin: 0 }
const paragraph: CSSProperties = { margin: 0, maxWidth: '40rem' }

/** E1. */
export function NotFoundScreen() {
  return (
    <main style={box}>
      <title>{`404: ${NOT_FOUND_TEXT}`}</title>
      <meta name="robots" content="noindex" />
      <h1 style={heading}>404</h1>
      <p style={paragraph}>{NOT_FOUND_TEXT}</p>
    </main>
  )
}

/** E2, and E4 where a digest joins the screen to the log. */
export function ErrorScreen({ statusCode = 500, title, digest }: ErrorPageProps) {
  const name = title ?? errorTitle(statusCode)
  return (
    <main style={box}>
      <title>{`${statusCode}: ${name}`}</title>
      <meta name="robots" content="noindex" />
      <h1 style={heading}>{statusCode}</h1>
      <p style={paragraph}>{statusCode === 500 && !title ? SERVER_EXCEPTION_TEXT : name}</p>
      {digest && <p style={{ ...paragraph, flexBasis: '100%', textAlign: 'center', opacity: 0.7 }}>Digest: {digest}</p>}
    </main>
  )
}

/** E3, with a way on: try again, or load the page anew. */
export function ApplicationErrorScreen({ retry, digest }: { retry: () => void; digest?: string | undefined }) {
  return (
    <main style={box} role="alert">
      <title>Application error</title>
      <p style={paragraph}>{digest ? SERVER_EXCEPTION_TEXT : CLIENT_EXCEPTION_TEXT}</p>
      {digest && <p style={paragraph}>Digest: {digest}</p>}
      <p style={paragraph}>
        <button type="button" onClick={retry}>
          Try again
        </button>
      </p>
    </main>
  )
}
