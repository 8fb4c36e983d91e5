// The catalogue of error responses. Redirect and not-found are values, not errors.

/** Code to status and public text. Clients see the text: no path, no environment, no source name. */
export const ERROR_CATALOGUE = {
  'bad-request': { status: 400, text: 'The request is malformed.' },
  'malformed-path': { status: 400, text: 'The path holds a malformed percent sequence.' },
  'non-canonical-path': { status: 400, text: 'The path is not in its canonical form.' },
  forbidden: { status: 403, text: 'The request is not allowed from here.' },
  'not-found': { status: 404, text: 'There is nothing at this address.' },
  'method-not-allowed': { status: 405, text: 'The address does not take this method.' },
  'body-late': { status: 408, text: 'The body did not arrive in time.' },
  'body-too-large': { status: 413, text: 'The body is larger than this address takes.' },
  'unsupported-media-type': { status: 415, text: 'The body has a type that this address does not take.' },
  'invalid-input': { status: 422, text: 'The input was refused.' },
  internal: { status: 500, text: 'Internal Server Error' },
  'upstream-refused': { status: 502, text: 'A part of the site did not respond.' },
  overloaded: { status: 503, text: 'The site is busy; try again in a moment.' },
  'state-unavailable': { status: 503, text: 'The site cannot take submissions at the moment; nothing was done.' },
  'upstream-late': { status: 504, text: 'A part of the site took too long to respond.' },
} as const satisfies Record<string, { status: number; text: string }>

export type ErrorCode = keyof typeof ERROR_CATALOGUE

export interface ServiceErrorOptions {
  cause?: unknown
  /** Replaces the catalogue's public text; must be safe to show. */
  text?: string
  /** Extra headers of the response, such as `Allow` or `Retry-After`. */
  headers?: Record<string, string>
  /** Extra members of the JSON form, such as `limit` and `received`. */
  details?: { limit?: number; received?: number }
}

/** An error of the catalogue; the last middleware turns it into bytes. */
export class ServiceError extends Error {
  override name = 'ServiceError'
  readonly code: ErrorCode
  readonly status: number
  readonly text: string
  readonly headers: Record<string, string>
  readonly details: { limit?: number; received?: number }
  constructor(code: ErrorCode, options: ServiceErrorOptions = {}) {
    const text = options.text ?? ERROR_CATALOGUE[code].text
    super(`${code}: ${text}`, options.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    this.status = ERROR_CATALOGUE[code].status
    this.text = text
    this.headers = options.headers ?? {}
    this.details = options.details ?? {}
  }
}
