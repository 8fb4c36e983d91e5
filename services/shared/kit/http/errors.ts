// An error with a code of the catalogue; error-response.ts turns the error into bytes.

import type { OutgoingHttpHeader } from 'node:http'
import { ERROR_CATALOGUE, type ErrorCode } from '../../wire/errors/error-catalogue.ts'
import { errorTitle } from '../../wire/errors/error-titles.ts'
import type { PolicyHeader } from '../../wire/policy/content-security-policy.ts'
import type { Log } from '../observe/log.ts'
import { createDigest } from './request-id.ts'

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

/** Requests for a module that cannot be loaded are logged at most this often. */
const LOG_INTERVAL_MS = 60_000

/** Thrown for each request that needs the module. Node keeps the failure: only another process may load the module. */
export class ModuleFault extends Error {
  override name = 'ModuleFault'
  /** App-relative, or what the module is. */
  readonly file: string
  /** The same for all requests: that of the line that names the cause. */
  readonly digest = createDigest()
  readonly #onRequest: (fault: ModuleFault) => void
  #requests = 0
  #loggedAt: number

  constructor(
    file: string,
    cause: unknown,
    now = performance.now(),
    onRequest: (fault: ModuleFault) => void = () => {},
  ) {
    super(`${file} cannot be loaded: ${cause instanceof Error ? cause.message : String(cause)}`, { cause })
    this.file = file
    this.#onRequest = onRequest
    this.#loggedAt = now
  }

  /** Counts a request. At most one line a minute, without the stack; returns whether there was one. */
  noteRequest(log: Log, now = performance.now()): boolean {
    this.#requests++
    this.#onRequest(this)
    if (now - this.#loggedAt < LOG_INTERVAL_MS) return false
    const fields = { event: 'broken-module', file: this.file, digest: this.digest, requests: this.#requests }
    log.error(fields, this.message)
    this.#requests = 0
    this.#loggedAt = now
    return true
  }
}
