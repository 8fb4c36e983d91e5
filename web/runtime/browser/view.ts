// The view that the browser shows: one immutable value per committed navigation; and page data as the browser received it.

import type { PageData } from '@portico/shared/wire/page-data.ts'
import type { RouteParams } from '@portico/shared/wire/route-params.ts'
import type { ComponentType } from 'react'
import type { MaskedPage } from '../react/router-context.ts'

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
  /** The locale of the page in the document; that of other pages is in their address (X14). */
  locale?: string
  /** The page, where `url` is shown in the place of its address (X2): `params` have its query, too. */
  from?: MaskedPage
  /** The parameters of the route alone, where the view has `from`. */
  routeParams?: RouteParams
  isFallback: boolean
  /** false in the first view of a page that is rendered once for all clients: the view has no query yet. */
  isReady: boolean
  /** The navigation that is complete when React shows this view; absent for other views. */
  navigationId?: number
  /** Called when React has changed the document, before the effects of the page. */
  onApply?: () => void
  /** Values of the props still arrive: ends their transfer without an error in the page. */
  close?: () => void
}

/** The router's control of the root component. */
export interface RootControls {
  /** Shows a view; replaces an error screen. */
  setView: (view: View) => void
  /** Reports the running navigation to the page (N6); undefined: none. */
  setPending: (address: string | undefined) => void
  /** Shows the application error screen (E3). */
  setFailure: (error: Error) => void
}

/** `close`: values still arrive; ends their transfer without an error in the page. */
export type ReceivedData = PageData & { close?: () => void }
