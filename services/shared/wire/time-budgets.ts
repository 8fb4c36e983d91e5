// THE table of time limits from the browser inward (E7): each inner one ends before its outer one, so that the response says
// what was late. The numbers are those of constants.ts; docs/limits-and-promises.md has the table, time-budgets.test.ts the rule.

import {
  ACTION_FIRST_BYTE_MS,
  CONNECT_TIMEOUT_MS,
  DATA_FUNCTION_REST_MS,
  DATA_FUNCTION_TIMEOUT_MS,
  DEFERRED_SILENCE_MS,
  EXTERNAL_FIRST_BYTE_MS,
  FETCH_ATTEMPT_MS,
  FIRST_READY_WAIT_MS,
  FORM_PAGE_MS,
  FRESH_DATA_MS,
  FROZEN_AFTER_MS,
  GIVEN_UP_AFTER_MS,
  HANDLER_TIMEOUT_MS,
  IMAGE_ENCODED_MS,
  IMAGE_FIRST_BYTE_MS,
  IMAGE_QUEUED_MS,
  IMAGE_RESPONSE_MS,
  IMAGE_SOURCE_MS,
  MIDDLEWARE_LIMIT_MS,
  PAGE_FIRST_BYTE_MS,
  ROUTE_LOAD_TIMEOUT_MS,
  SHARED_RENDER_TIMEOUT_MS,
  SOURCE_FIRST_BYTE_MS,
  VERDICT_LIMIT_MS,
} from './constants.ts'

export interface TimeBudget {
  /** What the limit is for, as the documentation says it. */
  readonly what: string
  readonly limitMs: number
  /** What happens at the limit. */
  readonly end: string
  /** The budgets that contain it. */
  readonly within?: readonly BudgetName[]
  /** What may have taken its whole time before, inside of the same outer budget. */
  readonly after?: readonly BudgetName[]
  /** The source that has the limit, with the name of the constant. */
  readonly code: readonly [file: string, constant: string]
}

export type BudgetName = keyof typeof BUDGETS

const PROXY_TABLE = 'services/gateway/routes.ts'
const LATE = '504 `upstream-late`'
const BUSY = '503 `overloaded` with `Retry-After`'

const BUDGETS = {
  'route-code': {
    what: 'browser: code of a page, the manifest',
    limitMs: ROUTE_LOAD_TIMEOUT_MS,
    end: 'full load of the page',
    code: ['web/runtime/browser/views/load-route.ts', 'ROUTE_LOAD_TIMEOUT_MS'],
  },
  'deferred-values': {
    what: 'browser: silence while deferred values are missing',
    limitMs: DEFERRED_SILENCE_MS,
    end: 'the values are requested again, or their error is shown',
    code: ['web/runtime/browser/navigation/navigation.ts', 'DEFERRED_SILENCE_MS'],
  },
  page: {
    what: 'gateway: first byte of a page or page data; a fill of its memory',
    limitMs: PAGE_FIRST_BYTE_MS,
    end: LATE,
    code: [PROXY_TABLE, 'PAGE_FIRST_BYTE_MS'],
  },
  'guarded-page': {
    what: 'gateway: the same, where middleware runs before the page in the same request',
    limitMs: PAGE_FIRST_BYTE_MS + MIDDLEWARE_LIMIT_MS,
    end: LATE,
    code: ['services/gateway/proxy/proxy.ts', 'MIDDLEWARE_LIMIT_MS'],
  },
  verdict: {
    what: 'gateway: verdict of middleware',
    limitMs: VERDICT_LIMIT_MS,
    end: '503 `middleware-failed` with `Retry-After`',
    within: ['guarded-page'],
    code: ['services/gateway/decide/middleware/verdicts.ts', 'VERDICT_LIMIT_MS'],
  },
  middleware: {
    what: 'renderer: middleware',
    limitMs: MIDDLEWARE_LIMIT_MS,
    end: '503 `middleware-failed` with `Retry-After`',
    within: ['verdict'],
    code: ['services/renderer/middleware/middleware.ts', 'MIDDLEWARE_LIMIT_MS'],
  },
  image: {
    what: 'gateway: first byte of an image',
    limitMs: IMAGE_FIRST_BYTE_MS,
    end: LATE,
    code: [PROXY_TABLE, 'IMAGE_FIRST_BYTE_MS'],
  },
  action: {
    what: 'gateway: first byte of a form, action or API handler, from the end of its body',
    limitMs: ACTION_FIRST_BYTE_MS,
    end: LATE,
    code: [PROXY_TABLE, 'ACTION_FIRST_BYTE_MS'],
  },
  external: {
    what: 'gateway: first byte of another host',
    limitMs: EXTERNAL_FIRST_BYTE_MS,
    end: LATE,
    code: [PROXY_TABLE, 'EXTERNAL_FIRST_BYTE_MS'],
  },
  'given-up': {
    what: 'gateway: silence of a frozen replica, where no other one is ready',
    limitMs: GIVEN_UP_AFTER_MS,
    end: BUSY,
    within: ['page', 'guarded-page', 'image', 'action'],
    code: ['services/gateway/replicas/member-state.ts', 'GIVEN_UP_AFTER_MS'],
  },
  frozen: {
    what: 'gateway: silence of a replica until it is frozen',
    limitMs: FROZEN_AFTER_MS,
    end: 'reads move to another replica; new requests wait for a ready one',
    within: ['given-up'],
    code: ['services/gateway/replicas/member-state.ts', 'FROZEN_AFTER_MS'],
  },
  'first-ready': {
    what: 'gateway: wait for a first ready replica',
    limitMs: FIRST_READY_WAIT_MS,
    end: BUSY,
    within: ['given-up', 'page', 'image', 'source', 'action', 'verdict'],
    code: ['services/gateway/proxy/ready-queue.ts', 'FIRST_READY_WAIT_MS'],
  },
  connection: {
    what: 'gateway: connection to a replica',
    limitMs: CONNECT_TIMEOUT_MS,
    end: 'the next replica',
    within: ['page', 'image', 'source', 'action'],
    code: ['services/gateway/replicas/agent.ts', 'CONNECT_TIMEOUT_MS'],
  },
  'shared-render': {
    what: 'renderer: a page for all clients',
    limitMs: SHARED_RENDER_TIMEOUT_MS,
    end: '500',
    within: ['page', 'form-page'],
    code: ['services/renderer/render/static-page.ts', 'SHARED_RENDER_TIMEOUT_MS'],
  },
  'data-function': {
    what: 'renderer: data function, with its deferred values',
    limitMs: DATA_FUNCTION_TIMEOUT_MS,
    end: '500',
    within: ['shared-render', 'deferred-values', 'form-page'],
    code: ['services/renderer/render/data-functions.ts', 'DATA_FUNCTION_TIMEOUT_MS'],
  },
  'second-try': {
    what: 'the same, in the second try of a read whose replica froze',
    limitMs: DATA_FUNCTION_TIMEOUT_MS,
    end: '500',
    within: ['page'],
    after: ['frozen'],
    code: ['services/renderer/render/data-functions.ts', 'DATA_FUNCTION_TIMEOUT_MS'],
  },
  fetch: {
    what: 'renderer: an attempt of `fetch` of `portico/server` in a data function, at most',
    limitMs: Math.min(FETCH_ATTEMPT_MS, DATA_FUNCTION_TIMEOUT_MS - DATA_FUNCTION_REST_MS),
    end: 'an error; for `/api/…` 503 `api-unavailable` with `Retry-After`',
    within: ['data-function'],
    code: ['web/runtime/server/site-fetch.ts', 'DATA_FUNCTION_REST_MS'],
  },
  'image-response': {
    what: 'images: the response',
    limitMs: IMAGE_RESPONSE_MS,
    end: '504 `image-late`',
    within: ['image'],
    code: ['services/images/app.ts', 'IMAGE_RESPONSE_MS'],
  },
  'image-encoded': {
    what: 'images: source, queue and encoding',
    limitMs: IMAGE_ENCODED_MS,
    end: '504 `image-late`',
    within: ['image-response'],
    code: ['services/images/make/make.ts', 'IMAGE_ENCODED_MS'],
  },
  'image-queued': {
    what: 'images: source and queue',
    limitMs: IMAGE_QUEUED_MS,
    end: '504 `image-late`',
    within: ['image-encoded'],
    code: ['services/images/make/make.ts', 'IMAGE_QUEUED_MS'],
  },
  'image-source': {
    what: 'images: source, all redirects and the body',
    limitMs: IMAGE_SOURCE_MS,
    end: '504 `image-late`',
    within: ['image-queued'],
    code: ['services/images/source/source.ts', 'IMAGE_SOURCE_MS'],
  },
  source: {
    what: 'gateway: first byte of a source from the site itself',
    limitMs: SOURCE_FIRST_BYTE_MS,
    end: LATE,
    within: ['image-source'],
    code: [PROXY_TABLE, 'SOURCE_FIRST_BYTE_MS'],
  },
  'state-store': {
    what: 'actions: wait of a form for the state store',
    limitMs: FIRST_READY_WAIT_MS,
    end: '503 `state-unavailable` with `Retry-After`',
    within: ['action'],
    code: ['services/actions/submission/submit-once.ts', 'FIRST_READY_WAIT_MS'],
  },
  handler: {
    what: 'actions: action or API handler without a `timeoutMs` of its own',
    limitMs: HANDLER_TIMEOUT_MS,
    end: '504 `handler-late`',
    within: ['action'],
    after: ['state-store'],
    code: ['services/actions/run/run.ts', 'HANDLER_TIMEOUT_MS'],
  },
  'form-page': {
    what: 'actions: page of a form without JavaScript, from a renderer',
    limitMs: FORM_PAGE_MS,
    end: 'a response without the page',
    within: ['action'],
    after: ['state-store', 'handler'],
    code: ['services/actions/send/renderer-client.ts', 'FORM_PAGE_MS'],
  },
  'fresh-data': {
    what: 'actions: fresh page data behind an action',
    limitMs: FRESH_DATA_MS,
    end: 'the browser requests the data itself',
    within: ['action'],
    after: ['state-store', 'handler'],
    code: ['services/actions/send/renderer-client.ts', 'FRESH_DATA_MS'],
  },
} as const

export const TIME_BUDGETS: Readonly<Record<BudgetName, TimeBudget>> = BUDGETS
