// The request that app code is working for, carried by AsyncLocalStorage. One per bundle (W7).

import { AsyncLocalStorage } from 'node:async_hooks'
import type { RequestContext } from '../../../services/shared/wire/bundles.ts'
import { setPublicEnv } from '../react/public-env.ts'

const storage = new AsyncLocalStorage<RequestContext>()

export function runWithContext<T>(context: RequestContext, run: () => T): T {
  // A process has one environment: whichever request says so, says the same.
  if (context.publicEnv) setPublicEnv(context.publicEnv)
  return storage.run(context, run)
}

/** The current request; throws a sentence that names the caller when there is none. */
export function currentContext(caller: string): RequestContext {
  const context = storage.getStore()
  if (!context) throw new Error(`${caller} works during a request only: in data functions, actions and API handlers.`)
  return context
}

export function currentContextOrNone(): RequestContext | undefined {
  return storage.getStore()
}
