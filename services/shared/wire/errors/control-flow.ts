// redirect(), notFound(), unauthorized() and forbidden() as thrown values. A symbol marks these values, and instanceof is
// never used, because each bundle contains its own copy of this file (W7).

import type { ErrorCode } from './error-catalogue.ts'

const BRAND = Symbol.for('portico.control-flow')

export type RedirectStatus = 301 | 302 | 303 | 307 | 308

/** 401: the client is unknown. 403: the client is known and may not do this. */
export type RefusalStatus = 401 | 403

/** The code of the error response of each refusal. */
export const REFUSAL_CODES = { 401: 'unauthorized', 403: 'access-denied' } as const satisfies Readonly<
  Record<RefusalStatus, ErrorCode>
>

/** What the functions of this file throw: how a data function, an action or a render ends without its own page. */
export type ControlFlow =
  | { readonly kind: 'redirect'; readonly location: string; readonly status: RedirectStatus }
  | { readonly kind: 'not-found' }
  | { readonly kind: 'refused'; readonly status: RefusalStatus }

/**
 * Ends the current data function, action or render with a redirect. The status is 307 unless given, and 303 after an
 * action. It throws: do not catch its value.
 *
 * @example
 * ```ts
 * // actions/sign-out.ts
 * 'use server'
 * import { cookies, redirect } from 'portico/server'
 *
 * export async function signOut() {
 *   cookies().delete('session')
 *   redirect('/')
 * }
 * ```
 */
export function redirect(location: string, status?: RedirectStatus): never {
  throw brand(new Error(`redirect to ${location}`), { kind: 'redirect', location, status: status ?? 307 })
}

/**
 * Ends the current data function, action or render with the not-found screen, status 404. It throws: do not catch its
 * value.
 *
 * @example
 * ```ts
 * // lib/find-article.ts
 * import { notFound } from 'portico/server'
 *
 * const articles = new Map([['hello', { title: 'Hello' }]])
 *
 * export function findArticle(slug: string) {
 *   return articles.get(slug) ?? notFound()
 * }
 * ```
 */
export function notFound(): never {
  throw brand(new Error('not found'), { kind: 'not-found' })
}

/**
 * Ends the current data function, action, API handler or render with status 401: the client must log in first. The client
 * shows the site's `_error` page with the status, and drops prefetched page data. It throws: do not catch its value. Not
 * for `getStaticProps` and pages without data function, which are rendered once for all clients.
 *
 * @example
 * ```ts
 * // lib/require-member.ts
 * import { cookies, unauthorized } from 'portico/server'
 *
 * const members = new Map([['secret-of-ada', { name: 'Ada', isEditor: true }]])
 *
 * export function requireMember() {
 *   return members.get(cookies().get('member') ?? '') ?? unauthorized()
 * }
 * ```
 */
export function unauthorized(): never {
  throw brand(new Error('unauthorized'), { kind: 'refused', status: 401 })
}

/**
 * Ends the current data function, action, API handler or render with status 403: the client is known and may not do this.
 * As `unauthorized()` otherwise. Call it before the first change: a refused submission is not recorded, and may be sent
 * again.
 *
 * @example
 * ```ts
 * // actions/publish.ts
 * 'use server'
 * import { cookies, forbidden } from 'portico/server'
 *
 * export async function publish() {
 *   if (cookies().get('role') !== 'editor') forbidden()
 *   return { published: true }
 * }
 * ```
 */
export function forbidden(): never {
  throw brand(new Error('forbidden'), { kind: 'refused', status: 403 })
}

/** The control-flow value of a thrown error; undefined for every other value. */
export function controlFlowOf(thrown: unknown): ControlFlow | undefined {
  if (typeof thrown !== 'object' || thrown === null) return undefined
  return (thrown as { [BRAND]?: ControlFlow })[BRAND]
}

function brand(error: Error, flow: ControlFlow): Error {
  return Object.defineProperty(error, BRAND, { value: flow })
}
