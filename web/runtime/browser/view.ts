// What the browser shows: one immutable value per committed navigation.

import type { ComponentType } from 'react'
import type { RouteParams } from '../../../services/shared/wire/routes.ts'
import type { Pending } from './router-machine.ts'

export type PageComponent = ComponentType<Record<string, unknown>>

/** A page's code with the addresses of its stylesheets, which are there and apply with its first view. */
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
  /** false until a page for all visitors has learnt the query of this one. */
  isReady: boolean
  /** The navigation that this view completes; absent for the first view and for refreshed data. */
  pending?: Pending
}
