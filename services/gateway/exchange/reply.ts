// What the gateway responds, as a value: the steps decide it, and send/reply.ts sends it. A step that leaves the request to the
// next one returns undefined.

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ErrorCode, ErrorContent } from '@portico/shared/kit/http/errors.ts'
import type { FileEntry } from '@portico/shared/wire/build-output.ts'
import type { Caching } from '@portico/shared/wire/caching.ts'
import type { Encoding } from '@portico/shared/wire/encodings.ts'
import type { MiddlewareVerdict } from '@portico/shared/wire/middleware/verdict.ts'
import type { Route } from '../routes.ts'

/**
 * `isLast`: what follows on the connection cannot be trusted, and the connection is closed. `leavesBody`: the body of the
 * request is not read; if there is one, the connection is closed.
 */
export type Reply = { isLast?: boolean; leavesBody?: boolean } & (
  | { kind: 'error'; code: ErrorCode; extra?: Partial<ErrorContent> }
  | { kind: 'thrown'; error: unknown }
  /** `isForThisClient`: the client's languages chose it. */
  | { kind: 'redirect'; status: number; location: string; isForThisClient?: boolean }
  /** A redirect as page data. `own` is a flat list of headers in addition. */
  | { kind: 'redirect-data'; body: string; own?: readonly string[] }
  /** What middleware responded. */
  | { kind: 'made'; verdict: Extract<MiddlewareVerdict, { kind: 'response' }> }
  | { kind: 'file'; file: StoredFile; caching: Caching; isForAllOrigins?: boolean }
  /** From the page cache, or what a renderer responds. */
  | ({ kind: 'page' } & Passage)
  | ({ kind: 'upstream' } & Passage)
  /** What another host responds to which a rewrite leads. */
  | ({ kind: 'outside' } & Passage)
  /** The connection ends with the response to an earlier request. */
  | { kind: 'none' }
)

/** Decides, or returns undefined, in the same turn where nothing is waited for. */
export type Step = (
  request: IncomingMessage,
  response: ServerResponse,
) => Reply | undefined | Promise<Reply | undefined>

export type SendReply = (request: IncomingMessage, response: ServerResponse, reply: Reply) => unknown

/** How a request passes to a service. */
export interface Passage {
  readonly route: Route
  /** The gateway's build has no API handler at the address: a newer replica may have it. */
  readonly lacksHandler?: boolean
  /** The page that the page cache left to the proxy: its home is preferred. */
  readonly page?: string
  /** The page cache may not send the page that it has or had: without a renderer the response is 503 (C5). */
  readonly isUnconfirmed?: boolean
}

export type FileForm = 'identity' | Encoding

/** One form of a file. */
export type FileBytes = { kind: 'memory'; bytes: Buffer } | { kind: 'disk'; path: string }

export interface StoredFile {
  entry: FileEntry
  open(form: FileForm): Promise<FileBytes>
}
