// The current request of app code, in an AsyncLocalStorage. One per bundle (W7).

import { AsyncLocalStorage } from 'node:async_hooks'
import type { RequestContext } from '@portico/shared/wire/bundles.ts'
import { setPublicEnv } from '../react/public-env.ts'

const storage = new AsyncLocalStorage<RequestContext>()

export function runWithContext<T>(context: RequestContext, run: () => T): T {
  // A process has one environment: the values are equal in every request.
  if (context.publicEnv) setPublicEnv(context.publicEnv)
  return storage.run(context, run)
}

/** The current request. Outside of a request it throws an error with the name of the caller. */
export function currentContext(caller: string): RequestContext {
  const context = storage.getStore()
  if (!context) throw new Error(`${caller} works during a request only: in data functions, actions and API handlers.`)
  return context
}

export function currentContextOrNone(): RequestContext | undefined {
  return storage.getStore()
}
