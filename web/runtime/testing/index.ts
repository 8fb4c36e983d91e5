// `portico/testing`: unit tests of actions, pages and API handlers of a site, in vitest.

import type { Action } from '../server/define-action.ts'
import type { SessionCookie } from '../server/session.ts'
import type {
  TestActionRequest,
  TestApiRequest,
  TestedAction,
  TestedMiddleware,
  TestedPage,
  TestMiddlewareRequest,
  TestRequest,
  TestSite,
} from './test-types.ts'

export type {
  ActionOutcome,
  FakeResponse,
  FakeSite,
  MiddlewareOutcome,
  TestActionRequest,
  TestApiRequest,
  TestedAction,
  TestedCall,
  TestedMiddleware,
  TestedPage,
  TestMiddlewareRequest,
  TestRequest,
} from './test-types.ts'

/** The plugin resolves it; other tools must not read the implementation. */
const SITE_MODULE = 'virtual:portico/test-site'
let loading: Promise<TestSite> | undefined

function load(): Promise<TestSite> {
  loading ??= import(/* @vite-ignore */ SITE_MODULE).then(
    ({ site }: { site: TestSite }) => site,
    (cause: unknown) => {
      throw new Error('portico/testing needs vitest with the plugin of portico/testing/vitest', { cause })
    },
  )
  return loading
}

/**
 * Calls an action as the actions service does: the input passes its schema, `cookies()` and `headers()` are those of the
 * request, and the value is what JSON keeps of it. Rejects with what the action throws. Resolves when the functions of
 * `after()` have run.
 *
 * @example
 * ```ts
 * // tests/rename.test.ts
 * import { defineAction } from 'portico/server'
 * import { callAction } from 'portico/testing'
 * import { expect, test } from 'vitest'
 *
 * const rename = defineAction({}, async ({ name }) => ({ greeting: `Hello ${String(name)}` }))
 *
 * test('greets by name', async () => {
 *   const result = await callAction(rename, { name: 'Ada' }, { cookies: { theme: 'dark' } })
 *   expect(result).toMatchObject({ kind: 'value', value: { greeting: 'Hello Ada' } })
 * })
 * ```
 */
export function callAction<Input, Value>(
  action: Action<Input, Value>,
  input: Input | FormData,
  request?: TestActionRequest,
): Promise<TestedAction<Value>>
export function callAction<Value>(
  action: (...args: never[]) => Promise<Value> | Value,
  input?: unknown,
  request?: TestActionRequest,
): Promise<TestedAction<Value>>
export async function callAction(
  action: (...args: never[]) => unknown,
  input?: unknown,
  request: TestActionRequest = {},
): Promise<TestedAction<unknown>> {
  return (await load()).callAction(action, input, request)
}

/**
 * Renders the page at a path of the site to HTML: rewrites and routes, data function, `_app` and `_document` are those of
 * the site. Pages for all clients are rendered at each call. Rejects with what the page throws.
 *
 * @example
 * ```ts
 * // tests/home.test.ts
 * import { renderPage } from 'portico/testing'
 * import { expect, test } from 'vitest'
 *
 * test('the home page has a heading', async () => {
 *   const { status, html } = await renderPage('/')
 *   expect(status).toBe(200)
 *   expect(html).toContain('<h1>')
 * })
 * ```
 */
export async function renderPage(path: string, request: TestRequest = {}): Promise<TestedPage> {
  return (await load()).renderPage(path, request)
}

/**
 * Sends a request to an API handler of the site over HTTP, as from a page of the site. Rejects with what the handler
 * throws.
 *
 * @example
 * ```ts
 * // tests/places.test.ts
 * import { requestApi } from 'portico/testing'
 * import { expect, test } from 'vitest'
 *
 * test('a place needs a name', async () => {
 *   const response = await requestApi('/api/places', { method: 'POST', body: { name: '' } })
 *   expect(response.status).toBe(422)
 * })
 * ```
 */
export async function requestApi(path: string, request: TestApiRequest = {}): Promise<Response> {
  return (await load()).requestApi(path, request)
}

/**
 * Calls the site's middleware for a path, without basePath, if a matcher fits, and returns what it decides. The other
 * functions of `portico/testing` call pages, actions and handlers without middleware. Rejects with what the function throws.
 *
 * @example
 * ```ts
 * // tests/guard.test.ts
 * import { callMiddleware } from 'portico/testing'
 * import { expect, test } from 'vitest'
 *
 * test('a client without a session is sent to the form', async () => {
 *   expect(await callMiddleware('/account')).toMatchObject({ kind: 'redirect', location: '/sign-in' })
 *   expect(await callMiddleware('/about')).toMatchObject({ kind: 'unmatched' })
 * })
 * ```
 */
export async function callMiddleware(path: string, request: TestMiddlewareRequest = {}): Promise<TestedMiddleware> {
  return (await load()).callMiddleware(path, request)
}

/**
 * Gives the client of a test a session of the site, as a log-in does, and returns the client's cookies: the `cookies` of
 * other calls. For an https site both calls have its `origin`.
 *
 * @example
 * ```ts
 * // tests/account.test.ts
 * import { createSession } from 'portico/server'
 * import { renderPage, startSession } from 'portico/testing'
 * import { expect, test } from 'vitest'
 *
 * const validate = (value: unknown) => ({ value: value as { member: string } })
 * const session = createSession({ name: 'session', schema: { '~standard': { version: 1, vendor: 'test', validate } } })
 *
 * test('a member sees the account', async () => {
 *   const cookies = await startSession(session, { member: 'ada' })
 *   expect((await renderPage('/account', { cookies })).status).toBe(200)
 * })
 * ```
 */
export async function startSession<Input, Output>(
  session: SessionCookie<Input, Output>,
  data: Input,
  request: TestRequest = {},
): Promise<Record<string, string>> {
  const logIn = async () => (await session.read()).regenerate(data)
  return (await callAction(logIn, undefined, request)).cookies
}
