// The types of `portico/testing`.

import type { ActionIssue } from '@portico/shared/wire/action-wire.ts'

/** Responses for the server-side `fetch` of a path of the site, by path without query. */
export type FakeSite = Readonly<
  Record<string, FakeResponse | ((request: Request) => FakeResponse | Promise<FakeResponse>)>
>

/** A Response, or data that is sent as JSON with status 200. */
export type FakeResponse = Response | object

/** The client of a test, and the site around the tested code. */
export interface TestRequest {
  /** The client's cookies by name, as `cookies()` returns them. */
  cookies?: Readonly<Record<string, string>>
  headers?: Readonly<Record<string, string>>
  /** The public origin of the site; default: `http://localhost`. With `https:` cookies are Secure. */
  origin?: string
  /**
   * Responses for the server-side `fetch` with a path of the site. Other paths below `/api` reach the site's own handlers,
   * and paths in `public/` the files.
   */
  site?: FakeSite
}

/** What is true after each call. */
export interface TestedCall {
  /** The client's cookies after the response: pass them to the next call. */
  cookies: Record<string, string>
  /** The `Set-Cookie` values of the response. */
  setCookies: string[]
}

/** The call of an action in a test. */
export interface TestActionRequest extends TestRequest {
  /** Path and query of the page that makes the call; default: `/`. */
  url?: string
  /** The state of `useActionState`, for an action that takes it as its first argument. */
  previous?: unknown
  /** The arguments that a component bound to the action. */
  bound?: readonly unknown[]
}

/** What an action, its schema or `redirect()` and its relatives have decided. */
export type ActionOutcome<Value> =
  | { kind: 'value'; value: Value }
  | { kind: 'invalid'; issues: ActionIssue[] }
  | { kind: 'redirect'; location: string }
  | { kind: 'not-found' }
  | { kind: 'refused'; status: 401 | 403 }

/** The result of a tested action. */
export type TestedAction<Value> = ActionOutcome<Value> &
  TestedCall & {
    /** What the action and its `after()` revalidated. */
    revalidated: { paths: string[]; tags: string[] }
  }

/** The response to the request of a page. */
export interface TestedPage extends TestedCall {
  status: number
  /** The whole document; empty for a redirect. */
  html: string
  /** The props that the data function returned, with promises where it returned promises; or those of the shown screen. */
  props: Record<string, unknown>
  /** The target of a redirect. */
  location: string | undefined
  headers: Headers
}

/** The request of an API handler in a test. */
export interface TestApiRequest extends TestRequest {
  method?: string
  /** An object is sent as JSON. */
  body?: string | FormData | URLSearchParams | Uint8Array<ArrayBuffer> | object
}

/** The request of middleware in a test. */
export interface TestMiddlewareRequest extends TestRequest {
  method?: string
}

/** What middleware has decided. `requestHeaders` are its changes, with null for a header that it removed. */
export type MiddlewareOutcome =
  /** No matcher fits: the function was not called. */
  | { kind: 'unmatched' }
  | { kind: 'next'; requestHeaders: Record<string, string | null> }
  | { kind: 'rewrite'; target: string; requestHeaders: Record<string, string | null> }
  | { kind: 'redirect'; location: string; status: number }
  | { kind: 'refused'; status: 401 | 403 | 404 }
  | { kind: 'response'; status: number; body: string }

/** The result of tested middleware. */
export type TestedMiddleware = MiddlewareOutcome &
  TestedCall & {
    /** The headers that it adds to the response. */
    headers: Headers
  }

/** The implementation of portico/testing, which runs in vitest with the plugin. */
export interface TestSite {
  callAction(
    action: (...args: never[]) => unknown,
    input: unknown,
    request: TestActionRequest,
  ): Promise<TestedAction<unknown>>
  renderPage(path: string, request: TestRequest): Promise<TestedPage>
  requestApi(path: string, request: TestApiRequest): Promise<Response>
  callMiddleware(path: string, request: TestMiddlewareRequest): Promise<TestedMiddleware>
}
