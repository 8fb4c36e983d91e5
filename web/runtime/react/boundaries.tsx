// The boundaries around every page: not found, redirect, refused, application error with retry (E5); and the screen of the
// browser's application error (E3, E4), which is part of the code of every page. The other screens are in screens.tsx.

import { DEV_EDITED_EVENT } from '@portico/shared/wire/dev/dev-wire.ts'
import { type ControlFlow, controlFlowOf } from '@portico/shared/wire/errors/control-flow.ts'
import { CLIENT_EXCEPTION_TEXT, SERVER_EXCEPTION_TEXT } from '@portico/shared/wire/errors/exception-texts.ts'
import { Component, type ComponentType, type CSSProperties, type ReactNode } from 'react'

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
function ApplicationErrorScreen({ retry, digest }: { retry: () => void; digest?: string | undefined }) {
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

interface BoundaryProps {
  /** A change of this key means another page, which discards the earlier error. */
  resetKey: string
  children: ReactNode
}

interface State {
  thrown?: { error: unknown } | undefined
  resetKey: string
}

/** Keeps what its children throw while they render, until the next page or `retry`. */
export abstract class Boundary<Props extends BoundaryProps> extends Component<Props, State> {
  override state: State = { resetKey: this.props.resetKey }

  static getDerivedStateFromError(error: unknown): Partial<State> {
    return { thrown: { error } }
  }

  static getDerivedStateFromProps(props: BoundaryProps, state: State): State | null {
    return props.resetKey === state.resetKey ? null : { resetKey: props.resetKey, thrown: undefined }
  }

  retry = (): void => this.setState({ thrown: undefined })
}

/** Under development. Fast refresh retries boundaries, except those that failed before its first edit. */
export function retryAfterEdit({ retry }: { retry: () => void }): void {
  addEventListener(DEV_EDITED_EVENT, retry, { once: true })
}

/** The app folder's own page for a refusal or not-found, or the default screen. */
export type Screen = ComponentType<Exclude<ControlFlow, { kind: 'redirect' }>>

interface PageBoundaryProps extends BoundaryProps {
  Screen: Screen
  /** Follows a redirect thrown while rendering in the browser. */
  onRedirect: (location: string) => void
}

export class PageBoundary extends Boundary<PageBoundaryProps> {
  override componentDidCatch(error: unknown): void {
    if (process.env.NODE_ENV !== 'production') retryAfterEdit(this)
    const flow = controlFlowOf(error)
    if (flow?.kind === 'redirect') this.props.onRedirect(flow.location)
  }

  override render(): ReactNode {
    const { thrown } = this.state
    if (!thrown) return this.props.children
    const { Screen } = this.props
    const flow = controlFlowOf(thrown.error)
    if (flow) return flow.kind === 'redirect' ? null : <Screen {...flow} />
    // Any value may be thrown. The error of a page that could not be loaded has its own `retry`.
    const { digest, retry } = Object(thrown.error) as { digest?: unknown; retry?: () => void }
    return (
      <ApplicationErrorScreen
        retry={typeof retry === 'function' ? retry : this.retry}
        digest={typeof digest === 'string' ? digest : undefined}
      />
    )
  }
}
