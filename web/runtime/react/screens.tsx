// Default screens: not found and error (E1, E2, E4). The pages 404, 500 and _error of an app folder replace them.

import { errorTitle, NOT_FOUND_TEXT } from '@portico/shared/wire/errors/error-titles.ts'
import { SERVER_EXCEPTION_TEXT } from '@portico/shared/wire/errors/exception-texts.ts'
import type { ComponentType } from 'react'
import { box, paragraph } from './boundaries.tsx'
import type { ErrorPageProps } from './page-types.ts'

const heading = { fontSize: '1.5rem', margin: 0 }

/** E1. */
function NotFoundScreen() {
  return (
    <main style={box}>
      <title>{`404: ${NOT_FOUND_TEXT}`}</title>
      <meta name="robots" content="noindex" />
      <h1 style={heading}>404</h1>
      <p style={paragraph}>{NOT_FOUND_TEXT}</p>
    </main>
  )
}

/** E2, and E4 with a digest, which is also in the log. */
function ErrorScreen({ statusCode = 500, title, digest }: ErrorPageProps) {
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

/** The default screen of a route of the app folder that has no own page. */
export function defaultScreen(route: string): ComponentType<Record<string, unknown>> {
  return route === '/404' ? NotFoundScreen : ErrorScreen
}
