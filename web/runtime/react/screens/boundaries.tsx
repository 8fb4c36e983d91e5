// The boundaries around every page: not found, redirect, refused, application error with retry (E5).

import { DEV_EDITED_EVENT } from '@portico/shared/wire/dev/dev-wire.ts'
import { controlFlowOf } from '@portico/shared/wire/errors/control-flow.ts'
import { Component, type ComponentType, type ReactNode } from 'react'
import { ApplicationErrorScreen } from './application-error.tsx'

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

  override componentDidCatch(_error: unknown): void {
    // Fast refresh retries boundaries, except those that failed before its first edit.
    if (process.env.NODE_ENV !== 'production') addEventListener(DEV_EDITED_EVENT, this.retry, { once: true })
  }

  retry = (): void => this.setState({ thrown: undefined })
}

/** The app folder's own pages, or the default screens. */
export interface Screens {
  NotFound: ComponentType
  ErrorPage: ComponentType<{ statusCode: number }>
}

interface PageBoundaryProps extends BoundaryProps {
  screens: Screens
  /** Follows a redirect thrown while rendering in the browser. */
  onRedirect: (location: string) => void
}

export class PageBoundary extends Boundary<PageBoundaryProps> {
  override componentDidCatch(error: unknown): void {
    super.componentDidCatch(error)
    const flow = controlFlowOf(error)
    if (flow?.kind === 'redirect') this.props.onRedirect(flow.location)
  }

  override render(): ReactNode {
    const { thrown } = this.state
    if (!thrown) return this.props.children
    const { NotFound, ErrorPage } = this.props.screens
    const flow = controlFlowOf(thrown.error)
    if (flow?.kind === 'not-found') return <NotFound />
    if (flow?.kind === 'refused') return <ErrorPage statusCode={flow.status} />
    if (flow) return null
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
