// `portico/server`: what data functions, actions and API handlers may import.

export type { InvalidInput } from '../../../services/shared/wire/bundles.ts'
export { notFound, redirect } from '../../../services/shared/wire/control-flow.ts'
export type { StackStatus } from '../../../services/shared/wire/stack-status.ts'
export { type CookieStore, cookies, headers } from './cookies.ts'
export { type Action, defineAction, revalidatePath, revalidateTag } from './define-action.ts'
export { type SiteFetchInit, siteFetch as fetch } from './site-fetch.ts'
export { stackStatus } from './stack-status.ts'
