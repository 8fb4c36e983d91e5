// What the browser shows: one immutable value per committed navigation.

import type { RouteParams } from '@portico/shared/wire/routing/routes.ts'
import type { ComponentType } from 'react'

export type PageComponent = ComponentType<Record<string, unknown>>

/** A page's code with the addresses of its stylesheets, which have been loaded and apply with the page's first view. */
export interface RoutePage {
  Page: PageComponent
  styles: readonly string[]
}

export interface View extends RoutePage {
  route: string
  params: RouteParams
  props: Record<string, unknown>
  /** Address with basePath, query and hash. */
  url: string
  isFallback: boolean
  /** false until a page that was built once for all clients knows the query of this one. */
  isReady: boolean
  /** The navigation that is complete when React shows this view; absent for other views. */
  navigationId?: number
}

/** What the root component lets the router do. */
export interface RootControls {
  /** Shows a view, also in place of an error screen. */
  setView: (view: View) => void
  /** Reports the navigation under way to the page (N6); undefined: none. */
  setPending: (address: string | undefined) => void
  /** Shows the application error screen (E3). */
  setFailure: (error: Error) => void
}
