// What the browser shows: one immutable value per committed navigation.

import type { ComponentType } from 'react'
import type { RouteParams } from '../../../services/shared/wire/routes.ts'
import type { Pending } from './router-machine.ts'

export type PageComponent = ComponentType<Record<string, unknown>>

export interface View {
  route: string
  params: RouteParams
  props: Record<string, unknown>
  Page: PageComponent
  /** Address with basePath, query and hash. */
  url: string
  isFallback: boolean
  /** false until a page for all visitors has learnt the query of this one. */
  isReady: boolean
  /** The navigation that this view completes; absent for the first view and for refreshed data. */
  pending?: Pending
}
