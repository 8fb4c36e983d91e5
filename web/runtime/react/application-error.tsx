// The screen of the browser's application error (E3, E4), which is part of the code of every page. The other screens are
// in screens.tsx.

import { CLIENT_EXCEPTION_TEXT, SERVER_EXCEPTION_TEXT } from '@portico/shared/wire/errors/exception-texts.ts'
import type { CSSProperties } from 'react'

/** The style of all default screens. */
export const box: CSSProperties = {
  minHeight: '60vh',
  display: 'flex',
  flexWrap: 'wrap',
  gap: '.25rem 1.25rem',
  alignItems: 'baseline',
  alignContent: 'center',
  justifyContent: 'center',
  padding: '2rem',
}
export const paragraph: CSSProperties = { margin: 0, maxWidth: '40rem' }

/** E3, with a button that tries again. */
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
