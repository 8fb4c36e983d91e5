// `portico/server`: what data functions, actions and API handlers may import.

export type { InstrumentationModule, InvalidInput } from '@portico/shared/wire/bundles.ts'
export { forbidden, notFound, redirect, unauthorized } from '@portico/shared/wire/errors/control-flow.ts'
export { after } from './after.ts'
export { type CachedOptions, cached } from './cached.ts'
export { type CookieOptions, type CookieStore, cookies, headers, setHeaders } from './cookies.ts'
export { type Action, defineAction, revalidatePath, revalidateTag } from './define-action.ts'
export { type DraftMode, draftMode } from './draft-mode.ts'
export { env } from './env.ts'
export {
  type MatcherCondition,
  type MatcherConfig,
  type Middleware,
  type MiddlewareConfig,
  type MiddlewareResult,
  next,
  rewrite,
  type StepOptions,
} from './middleware-steps.ts'
export { createSession, type Session, type SessionCookie, type SessionOptions } from './session.ts'
export { type SiteFetchInit, siteFetch as fetch } from './site-fetch.ts'
