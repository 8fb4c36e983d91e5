// redirect() and notFound() as thrown values. A symbol marks these values, and instanceof is never used, because each
// bundle contains its own copy of this file (W7).

const BRAND = Symbol.for('portico.control-flow')

export type RedirectStatus = 301 | 302 | 303 | 307 | 308

/** What redirect() and notFound() throw: how a data function, an action or a render ends without its own page. */
export type ControlFlow =
  | { readonly kind: 'redirect'; readonly location: string; readonly status: RedirectStatus }
  | { readonly kind: 'not-found' }

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

/** The control-flow value of a thrown error; undefined for every other value. */
export function controlFlowOf(thrown: unknown): ControlFlow | undefined {
  if (typeof thrown !== 'object' || thrown === null) return undefined
  return (thrown as { [BRAND]?: ControlFlow })[BRAND]
}

function brand(error: Error, flow: ControlFlow): Error {
  return Object.defineProperty(error, BRAND, { value: flow })
}
