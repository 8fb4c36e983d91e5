// An error with a code of the catalogue; error-response.ts turns the error into bytes.

import type { OutgoingHttpHeader } from 'node:http'
import { ERROR_CATALOGUE, type ErrorCode } from '../../wire/errors/error-catalogue.ts'
import { errorTitle } from '../../wire/errors/error-titles.ts'
import type { PolicyHeader } from '../../wire/policy/content-security-policy.ts'

export type { ErrorCode }

/** What an error response shows. */
export interface ErrorContent {
  /** Decides the status. */
  code: ErrorCode
  /** Replaces the catalogue's public text, for example with the rule that a parameter broke; must be safe to show. */
  message?: string | undefined
  digest?: string | undefined
  /** Extra headers, such as `Allow` or `Retry-After`. */
  headers?: Readonly<Record<string, OutgoingHttpHeader | undefined>>
  /** Bytes of a body that is too large: extra members of the JSON form, and part of the message. */
  details?: { limit: number; received: number }
  /** Faults of fields, which the default screen lists. */
  issues?: readonly { path: string; message: string }[]
  /** Replaces the default screen. */
  document?: string
  /** The policy of the default screen as the build decided; null: none. */
  screenPolicy?: PolicyHeader | null
}

interface ServiceErrorOptions extends Pick<ErrorContent, 'headers' | 'details'> {
  cause?: unknown
  /** Replaces the catalogue's public text; must be safe to show. */
  text?: string
}

export class ServiceError extends Error {
  override name = 'ServiceError'
  readonly content: ErrorContent
  constructor(code: ErrorCode, { cause, text, ...content }: ServiceErrorOptions = {}) {
    const { status, text: usual = errorTitle(status) } = ERROR_CATALOGUE[code]
    super(`${code}: ${text ?? usual}`, cause === undefined ? undefined : { cause })
    this.content = { code, message: text, ...content }
  }
}
