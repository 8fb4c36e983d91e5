// An error with a code of the catalogue.

import { ERROR_CATALOGUE, type ErrorCode } from '../wire/error-catalogue.ts'
import { errorTitle } from '../wire/error-titles.ts'

export type { ErrorCode }

export interface ServiceErrorOptions {
  cause?: unknown
  /** Replaces the catalogue's public text; must be safe to show. */
  text?: string
  /** Extra headers of the response, such as `Allow` or `Retry-After`. */
  headers?: Record<string, string>
  /** Extra members of the JSON form, such as `limit` and `received`. */
  details?: { limit?: number; received?: number }
}

/** An error of the catalogue; error-response.ts turns the error into bytes. */
export class ServiceError extends Error {
  override name = 'ServiceError'
  readonly code: ErrorCode
  readonly status: number
  readonly text: string | undefined
  readonly headers: Record<string, string>
  readonly details: { limit?: number; received?: number }
  constructor(code: ErrorCode, { text, cause, headers = {}, details = {} }: ServiceErrorOptions = {}) {
    const entry = ERROR_CATALOGUE[code]
    super(`${code}: ${text ?? entry.text ?? errorTitle(entry.status)}`, cause === undefined ? undefined : { cause })
    this.code = code
    this.status = entry.status
    this.text = text
    this.headers = headers
    this.details = details
  }
}
