// The three boundaries around every page: not found, redirect, application error with retry (E5).

import { DEV_EDITED_EVENT } from '@portico/shared/wire/dev/dev-wire.ts'
import { controlFlowOf } from '@portico/shared/wire/errors/control-flow.ts'
import { Component, type ReactNode } from 'react'
import { ApplicationErrorScreen } from './application-error.tsx'

interface Props {
  /** A change of this key means another page, which discards the earlier error. */
  resetKey: string
  notFound: ReactNode
  /** Follows a redirect thrown while rendering in the browser. */
  onRedirect: (location: string) => void
  children: ReactNode
}

interface State {
  thrown?: { error: unknown } | undefined
  resetKey: string
}

export class PageBoundary extends Component<Props, State> {
  override state: State = { resetKey: this.props.resetKey }

  static getDerivedStateFromError(error: unknown): Partial<State> {
    return { thrown: { error } }
  }

  static getDerivedStateFromProps(props: Props, state: State): State | null {
    return props.resetKey === state.resetKey ? null : { resetKey: props.resetKey, thrown: undefined }
  }

  override componentDidCatch(error: unknown): void {
    const flow = controlFlowOf(error)
    if (flow?.kind === 'redirect') this.props.onRedirect(flow.location)
    // Fast refresh retries boundaries, except those that failed before its first edit.
    if (process.env.NODE_ENV !== 'production')
      addEventListener(DEV_EDITED_EVENT, () => this.setState({ thrown: undefined }), { once: true })
  }

  override render(): ReactNode {
    const { thrown } = this.state
    if (!thrown) return this.props.children
    const flow = controlFlowOf(thrown.error)
    if (flow?.kind === 'not-found') return this.props.notFound
    if (flow?.kind === 'redirect') return null
    // Any value may be thrown. The error of a page that could not be loaded has its own `retry`.
    const { digest, retry } = Object(thrown.error) as { digest?: unknown; retry?: () => void }
    const mountAgain = () => this.setState({ resetKey: this.props.resetKey, thrown: undefined })
    return (
      <ApplicationErrorScreen
        retry={typeof retry === 'function' ? retry : mountAgain}
        digest={typeof digest === 'string' ? digest : undefined}
      />
    )
  }
}
