// redirect() and notFound() as thrown values. A symbol marks these values, and instanceof is never used, because each
// bundle contains its own copy of this file (W7).

const BRAND = Symbol.for('portico.control-flow')

export type RedirectStatus = 301 | 302 | 303 | 307 | 308

export type ControlFlow =
  | { readonly kind: 'redirect'; readonly location: string; readonly status: RedirectStatus }
  | { readonly kind: 'not-found' }

/** Ends the current data function, action or render with a redirect. Status 307 unless given; 303 after an action. */
export function redirect(location: string, status?: RedirectStatus): never {
  throw brand(new Error(`redirect to ${location}`), { kind: 'redirect', location, status: status ?? 307 })
}

/** Ends the current data function, action or render with the not-found screen, status 404. */
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
