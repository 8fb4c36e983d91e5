// The types of `instrumentation-client` of a site (X16).

/** What kind of work failed in the browser. */
export type ClientErrorKind =
  /** A component threw, or the server sent other content than the component renders. */
  | 'render'
  /** Nothing caught the error: of an event handler, a timer, a promise. */
  | 'event'
  /** A page could not be shown: its data failed. */
  | 'navigation'
  /** Code or a stylesheet of the build could not be loaded, or its module threw. */
  | 'chunk'
  /** A server action failed. */
  | 'action'

/** Where an error of the browser happened. */
export interface ClientErrorContext {
  kind: ClientErrorKind
  /** Pattern of the page, as in `/places/[slug]`; of a navigation that of its target. Undefined where it is not known. */
  route: string | undefined
  /** Finds the error in the log of the server, which also gave it to `onRequestError`; undefined for errors of the browser. */
  digest: string | undefined
  /** React's list of the components around the one that threw, for `render`. */
  componentStack: string | undefined
  /** The build whose code runs in this tab. */
  buildId: string
}

/**
 * The exports of `instrumentation-client` next to `pages/`. `onError` receives each error of the browser once. Nothing waits
 * for the function, and what it throws changes nothing. No errors are: a navigation that another one replaced, a document
 * that was cut off, code that is missing because the site has another build by now, and a site that cannot be reached.
 *
 * @example
 * ```ts
 * // instrumentation-client.ts
 * import type { InstrumentationClientModule } from 'portico'
 *
 * export const onError: InstrumentationClientModule['onError'] = (error, { kind, route, digest }) => {
 *   navigator.sendBeacon('/api/errors', JSON.stringify({ kind, route, digest, text: String(error) }))
 * }
 * ```
 */
export interface InstrumentationClientModule {
  onError?: (error: unknown, context: ClientErrorContext) => unknown
}
