// `instrumentation` of the site (X16): `register` before the service is ready, `onRequestError` for errors of the site's code.

import { createRequire, syncBuiltinESMExports } from 'node:module'
import type { InstrumentationModule, RequestErrorContext } from '../../../wire/bundles.ts'
import type { Log } from '../log.ts'
import { type MapStack, mapErrorStacks } from './map-stacks.ts'

/** The part of a request that the site's code receives with an error. */
export interface FailedRequest {
  /** Path and query as the client sent them. */
  url: string
  method: string
  headers: Readonly<Record<string, string | string[] | undefined>>
}

/** Passes an error to `onRequestError`. Never throws, and is not waited for. */
export type ReportRequestError = (
  error: unknown,
  request: FailedRequest,
  context: Pick<RequestErrorContext, 'routePath' | 'routeType'> & Partial<RequestErrorContext>,
) => void

/**
 * Calls `register`, and waits for it. Throws an error for operators if the module cannot be loaded or `register` fails: the
 * service must not run without what observes it. Undefined without a module, or without `onRequestError`, which receives
 * errors with the stacks of `mapStack`; without it they are right already.
 */
export async function startInstrumentation(
  load: (() => Promise<InstrumentationModule>) | undefined,
  log: Log,
  mapStack?: MapStack,
): Promise<ReportRequestError | undefined> {
  if (!load) return undefined
  let module: InstrumentationModule
  try {
    module = await load()
    await module.register?.()
    applyPatches()
  } catch (cause) {
    if (mapStack) mapErrorStacks(cause, mapStack)
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new Error(`instrumentation: register() failed: ${reason}`, { cause })
  }
  const { onRequestError } = module
  if (!onRequestError) return undefined
  const call = async (...args: Parameters<typeof onRequestError>) => onRequestError(...args)
  return (error, { url, method, headers }, context) => {
    const request = { path: url, method, headers: { ...headers } }
    if (mapStack) mapErrorStacks(error, mapStack)
    const facts = { routerKind: 'Pages Router', revalidateReason: undefined, ...context } as const
    call(error, request, facts).catch((thrown: unknown) =>
      log.error({ error: thrown }, 'onRequestError of the instrumentation failed'),
    )
  }
}

/** What tracing libraries patch of Node itself. */
const PATCHED_BUILTINS = ['http', 'https', 'http2', 'net', 'dns', 'fs', 'child_process']

/**
 * Tracing libraries (OpenTelemetry, Datadog) patch a module of Node when it is next required. Bundles and services import
 * these modules, and have loaded some before: so they are required here, and what was imported becomes what was patched.
 */
function applyPatches(): void {
  const require = createRequire(import.meta.url)
  for (const name of PATCHED_BUILTINS) require(name)
  syncBuiltinESMExports()
}
