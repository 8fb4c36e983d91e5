// The result of rendering, independent of HTTP: send-outcome turns an outcome into bytes.

import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import type { AddTask } from '@portico/shared/kit/life/after/after-tasks.ts'
import type { ByteSink } from '@portico/shared/wire/bundles.ts'
import type { CookieSeal } from '@portico/shared/wire/cookies/cookie-seal.ts'
import type { DraftState } from '@portico/shared/wire/cookies/draft-mode.ts'
import type { RedirectStatus } from '@portico/shared/wire/errors/control-flow.ts'
import type { ErrorCode } from '@portico/shared/wire/errors/error-catalogue.ts'
import type { PolicyHeader } from '@portico/shared/wire/policy/content-security-policy.ts'
import type { Representation } from '@portico/shared/wire/routing/urls.ts'

/** Headers and cookies that the page's own code set. */
export interface AuthorHeaders {
  headers: Record<string, string | string[]>
  setCookies: string[]
}

export type CacheVerdict = 'HIT' | 'STALE' | 'MISS'

/** `policy` is that of a document; absent for JSON, and for a document without one. */
export type Outcome =
  /** From the page cache: the same for all clients. */
  | {
      kind: 'cached'
      route: string
      status: number
      type: 'html' | 'json'
      policy?: PolicyHeader | undefined
      body: Buffer
      etag: string
      verdict: CacheVerdict
      /** The cookies that a page set before it returned notFound; sent with the not-found screen. */
      setCookies?: string[]
    }
  /** Rendered for this request. */
  | {
      kind: 'whole'
      route: string
      status: number
      type: 'html' | 'json'
      policy?: PolicyHeader | undefined
      /** Overrides the type's media type if page code wrote the body. */
      contentType?: string
      body: string | Buffer
      author: AuthorHeaders
      digest?: string
      /** The body is a screen, or JSON of W2, for this error. */
      code?: ErrorCode
    }
  | {
      kind: 'stream'
      route: string
      status: number
      type: 'html' | 'jsonl'
      policy?: PolicyHeader | undefined
      pipe: (sink: ByteSink) => Promise<void>
      author: AuthorHeaders
    }
  | { kind: 'redirect'; route: string; location: string; status: RedirectStatus; author: AuthorHeaders }
  /** No page of the app folder could be rendered: the default screen or JSON. */
  | { kind: 'error'; route: string; code: ErrorCode; digest?: string; author?: AuthorHeaders }

export const NO_AUTHOR_HEADERS: AuthorHeaders = { headers: {}, setCookies: [] }

export interface PageRequest {
  /** Path and query in the client's address bar, basePath included. */
  url: string
  /** Raw, below basePath. */
  pathname: string
  search: string
  method: string
  headers: Readonly<Record<string, string>>
  cookies: Record<string, string>
  /** Absent where no client is: in the warm-up and for entries of the page cache. */
  cookieSeal?: CookieSeal
  /** Draft mode; absent where no client is. */
  draft?: DraftState
  /** Public origin, for example `https://example.org`. */
  origin: string
  requestId: string
  signal: AbortSignal
  as: Representation
  /** Wait for all content: for crawlers, and for responses that another service passes on. */
  whole: boolean
  /** The client requested all content by W12: no cache may keep the response. */
  isWholeRequested?: boolean
  /** Work behind the response; absent for a render for all clients, which has its own. */
  after?: AddTask
  /** Node's request, or a stream with the body of a passed one; absent without a client. */
  stream?: IncomingMessage | Readable
  /** Set for a request of another service (W6, W8). */
  inner?: { status?: number; formState?: unknown; generation?: number; epoch?: string | undefined }
}
