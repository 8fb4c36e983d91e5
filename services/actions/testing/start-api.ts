// API handlers for tests: a service with one handler at /api/x.

import type { ApiModule } from '@portico/shared/wire/bundles.ts'
import type { ApiRequest, ApiResponse } from '../api-handlers/handler-arguments.ts'
import { type StartOptions, startActions, type TestActions } from './start-actions.ts'

export type Handler = (request: ApiRequest, response: ApiResponse) => unknown

/** The exports of a file below pages/api. */
export function apiModule(handler: Handler, config?: ApiModule['config']): ApiModule {
  // The service calls the handler with exactly these two arguments.
  const api: ApiModule = { default: handler as ApiModule['default'] }
  return config ? { ...api, config } : api
}

/** Starts the service with the handler at /api/x. */
export function startApi(
  handler: Handler,
  config?: ApiModule['config'],
  more: StartOptions = {},
): Promise<TestActions> {
  return startActions({ api: { '/api/x': apiModule(handler, config) }, ...more })
}
