// The default screens of sites of Next.js, in place of react/screens.tsx: the screen of missing pages is that of
// next/error. That of errors remains Portico's: it has the digest of the log.

import type { ComponentType, ReactNode } from 'react'
import { defaultScreen as portico } from '../react/screens.tsx'
import NextError from './error.tsx'

const PorticoError = portico('/_error')

class DefaultScreen extends NextError<{ digest?: string }> {
  override render(): ReactNode {
    return this.props.statusCode === 404 ? super.render() : <PorticoError {...this.props} />
  }
}

/** The default screen of every route: as in Next.js, one for all statuses. */
export function defaultScreen(_route: string): ComponentType<Record<string, unknown>> {
  // The cast: the props of a screen are those that the renderer and the router give to it.
  return DefaultScreen as unknown as ComponentType<Record<string, unknown>>
}
