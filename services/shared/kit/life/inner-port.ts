// The inner port of every service: probes, metrics, and control endpoints behind the stack's token (O4, O9).

import { timingSafeEqual } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Registry } from '@prometheus-io/client'
import { HEADERS } from '../../wire/constants.ts'
import { sendError } from '../http/error-response.ts'
import { ServiceError } from '../http/errors.ts'
import { readWhole } from '../http/read-body.ts'
import { traceRequest } from '../observe/tracing.ts'
import type { Keyring } from '../secrets/keyring.ts'
import type { ReadinessFault } from './site-modules.ts'

/** A control endpoint of the inner port: requires the stack's token and refuses requests with an Origin (O9). */
export interface InnerRoute {
  method: 'GET' | 'POST'
  path: string
  /** Largest body in bytes (default 1 MiB). */
  bodyLimitBytes?: number
  /** Sends the response itself; `body` is the parsed JSON, undefined for an empty body. */
  handler: (body: unknown, request: IncomingMessage, response: ServerResponse) => Promise<void>
}

export interface InnerPort {
  routes?: InnerRoute[]
  /** Absent, or without an accepted one: control endpoints refuse every request. */
  token?: Pick<Keyring, 'accepted' | 'noteUnknown'> | undefined
  /** A function merges those of several processes. */
  metrics?: Registry | (() => Promise<Registry>)
  /** The version of what the service makes, in the JSON of GET /readyz (W8). */
  version?: string
  /** In the JSON of GET /readyz, if there are any. */
  faults?: () => readonly ReadinessFault[]
  /** Reads the JSON document of GET /status. `waiting`: why the service is not ready now; empty when it is ready. */
  status?: (waiting: readonly string[]) => Promise<unknown>
}

/** What the inner port reports of the life of its process. */
export interface ReportedLife {
  /** Names this process: the next one at the same address has another name. */
  readonly instance: string
  /** Why the service is not ready now; empty when it is ready. */
  reasons(): string[]
  /** A gateway of this build has no other ready replica (O12). */
  noteRelied(build: string): void
}

export async function respondInner(
  request: IncomingMessage,
  response: ServerResponse,
  { metrics, status, version, faults: readFaults, routes = [], token }: InnerPort,
  life: ReportedLife,
): Promise<void> {
  const path = (request.url ?? '/').split('?')[0]
  if (request.method === 'GET' && path === '/livez') return sendJson(response, 200, { live: true })
  if (request.method === 'GET' && path === '/readyz') {
    const relying = request.headers[HEADERS.build]
    if (typeof relying === 'string') life.noteRelied(relying)
    const waiting = life.reasons()
    const ready = waiting.length === 0
    const faults = readFaults?.() ?? []
    const more = { ...(version !== undefined && { version }), ...(faults.length > 0 && { faults }) }
    return sendJson(response, ready ? 200 : 503, { ready, waiting, instance: life.instance, ...more })
  }
  if (request.method === 'GET' && path === '/metrics' && metrics) {
    const registry = typeof metrics === 'function' ? await metrics() : metrics
    response.setHeader('content-type', registry.contentType)
    response.end(await registry.metrics())
    return
  }
  if (request.method === 'GET' && path === '/status' && status)
    return sendJson(response, 200, await status(life.reasons()))
  const route = routes.find((candidate) => candidate.path === path && candidate.method === request.method)
  if (!route) return sendError(response, 'data', { code: 'not-found' })
  // SECURITY: a page in an operator's browser must never reach a control endpoint.
  if (request.headers.origin !== undefined)
    return sendError(response, 'data', { code: 'forbidden', message: 'the inner port refuses requests with an Origin' })
  const tokens = token?.accepted() ?? []
  if (!tokens.some((accepted) => bearerIs(request, accepted))) {
    if (tokens.length > 0 && request.headers.authorization !== undefined) token?.noteUnknown('token')
    return sendError(response, 'data', {
      code: 'token-required',
      message: tokens.length > 0 ? undefined : 'STACK_TOKEN is not set',
    })
  }
  let parsed: unknown
  try {
    parsed = await readJson(request, route.bodyLimitBytes ?? 1_048_576)
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    // A bad body from a caller that holds the token: no log line. The rest of the body is dropped.
    request.resume()
    return sendError(response, 'data', error.content)
  }
  await traceRequest(request, response, () => route.handler(parsed, request, response))
}

/** SECURITY: compared in constant time, so that the token cannot be guessed digit by digit. */
function bearerIs(request: IncomingMessage, token: string): boolean {
  const given = Buffer.from(request.headers.authorization ?? '')
  const wanted = Buffer.from(`Bearer ${token}`)
  return given.length === wanted.length && timingSafeEqual(given, wanted)
}

async function readJson(request: IncomingMessage, limitBytes: number): Promise<unknown> {
  const body = await readWhole(request, { limitBytes: () => limitBytes })
  try {
    return body.length === 0 ? undefined : JSON.parse(body.toString('utf8'))
  } catch (cause) {
    throw new ServiceError('bad-request', { text: 'the body is not JSON', cause })
  }
}

/** Sends a JSON response that no cache may store. */
export function sendJson(response: ServerResponse, status: number, value: unknown): void {
  const body = JSON.stringify(value)
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
  })
  response.end(response.req.method === 'HEAD' ? undefined : body)
}
