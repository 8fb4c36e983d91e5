// Entry of the actions bundle: real 'use server' functions and API handlers.

import 'virtual:portico/framework'
import { actions, apiRoutes, EdgeRequest, instrumentation } from 'virtual:portico/actions'
import type { ActionsBundle } from '@portico/shared/wire/bundles.ts'
import { runWithContext } from './request-context.ts'

export const bundle: ActionsBundle = {
  actions,
  apiRoutes,
  instrumentation,
  runWithContext,
  ...(EdgeRequest && { EdgeRequest }),
}
