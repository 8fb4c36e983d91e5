// `portico/server`: what data functions, actions and API handlers may import.

export type { InvalidInput } from '../../../services/shared/wire/bundles.ts'
export { notFound, redirect } from '../../../services/shared/wire/control-flow.ts'
export { type CookieStore, cookies, headers } from './cookies.ts'
export { type Action, defineAction, revalidatePath, revalidateTag } from './define-action.ts'
export { type SiteFetchInit, siteFetch as fetch } from './site-fetch.ts'
export { type Distribution, type StackStatus, stackStatus } from './stack-status.ts'
