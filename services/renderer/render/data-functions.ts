// Calls an app's data functions with their time limit, and parses their results (D2, D3, D7).

import { traced } from '@portico/shared/kit/observe/tracing.ts'
import type { DataFunctionContext, RequestContext } from '@portico/shared/wire/bundles.ts'
import { DATA_FUNCTION_TIMEOUT_MS } from '@portico/shared/wire/constants.ts'
import { type ControlFlow, controlFlowOf, type RedirectStatus } from '@portico/shared/wire/errors/control-flow.ts'
import { isRecord } from '@portico/shared/wire/json/json-value.ts'
import { UnfinishedRender } from '../outcome/outcome.ts'
import { createDeferredValues, type DeferredOptions, type DeferredValues, ignorePromises } from './deferred-props.ts'

interface Reuse {
  revalidateSeconds: number | undefined
  tags: string[]
}

export type DataResult = Reuse &
  ({ kind: 'props'; props: Record<string, unknown>; deferred?: DeferredValues } | ControlFlow)

interface LimitedCall {
  route: string
  /** Name for messages: getServerSideProps, getStaticProps, getStaticPaths, getInitialProps or middleware. */
  name: string
  /**
   * Its signal ends the wait; the time limit aborts it, so that work which the function began ends with the function.
   */
  work: AbortController
  /** Default: DATA_FUNCTION_TIMEOUT_MS. */
  timeoutMs?: number | undefined
  /** The context of the function: requests that the function makes end before its time limit. */
  requestContext?: Pick<RequestContext, 'endsAt'> | undefined
  /** The time limit counts from the end of the body, which takes as long as the client's connection needs (A7). */
  body?: ArrivingBody | undefined
}

/** The body of a request that the function may read. */
export interface ArrivingBody {
  /** Calls the listener when the function has read the whole body. */
  onceRead: (listener: () => void) => void
  /** Whether the function reads the body and the client still sends it. */
  isArriving: () => boolean
}

interface DataCall extends LimitedCall, Pick<DeferredOptions, 'failureOf'> {
  run: (context: DataFunctionContext) => unknown
  context: DataFunctionContext
  /** The props may be instances of classes, and JSON writes their promises as it does (X11). */
  isPlainJson?: boolean
  /** Members that the framework adds to the props. */
  mark?: Readonly<Record<string, unknown>>
}

/**
 * Runs a data function. Throws what it throws (control flow is a result), and an error for a bad result or a time-out.
 * The time limit counts until the last promise in the props has settled.
 */
export async function callDataFunction(call: DataCall): Promise<DataResult> {
  const limit = startLimit(call)
  try {
    const returned = await traced(call.name, () => limit.within(() => runToEnd(call)))
    const result = await limit.within(() => parseDataResult(returned, call))
    const isDeferrable = result.kind === 'props' && !call.isPlainJson
    const deferred = isDeferrable && createDeferredValues(result.props, optionsOf(call))
    if (!deferred) {
      limit.end()
      return result
    }
    void deferred.follow(() => {}).then(limit.end)
    return { ...result, kind: 'props', props: deferred.props, deferred }
  } catch (thrown) {
    limit.end()
    const flow = controlFlowOf(thrown)
    if (!flow) throw thrown
    return { ...flow, revalidateSeconds: undefined, tags: [] }
  }
}

const optionsOf = ({ work: { signal }, failureOf }: DataCall): DeferredOptions => ({ signal, failureOf })

/** The function itself cannot be stopped: it may return promises when no client waits for them any more. */
async function runToEnd({ run, context, work: { signal } }: DataCall): Promise<unknown> {
  const returned = await run(context)
  if (signal.aborted) ignorePromises(returned)
  return returned
}

/** Runs app code until it ends, the time limit is reached or the work is aborted. */
export async function withinLimit<T>(call: LimitedCall, run: () => T | PromiseLike<T>): Promise<Awaited<T>> {
  const limit = startLimit(call)
  return limit.within(run).finally(limit.end)
}

/** Aborts the work at the time limit, unless it is ended before. */
function startLimit({
  work,
  route,
  name,
  timeoutMs = DATA_FUNCTION_TIMEOUT_MS,
  requestContext = {},
  body,
}: LimitedCall) {
  const { signal } = work
  let timer: NodeJS.Timeout | undefined
  let isEnded = false
  const begin = () => {
    clearTimeout(timer)
    if (isEnded) return
    timer = setTimeout(late, timeoutMs)
    requestContext.endsAt = performance.now() + timeoutMs
  }
  const late = () => {
    if (body?.isArriving()) return begin()
    work.abort(new UnfinishedRender(`${name} of ${route} took longer than ${timeoutMs} ms`))
  }
  body?.onceRead(begin)
  begin()
  return {
    end() {
      isEnded = true
      clearTimeout(timer)
      requestContext.endsAt = undefined
    },
    /** Runs until the work is aborted. */
    within<T>(run: () => T | PromiseLike<T>): Promise<Awaited<T>> {
      return new Promise((resolve, reject) => {
        const gone = () => reject(signal.reason)
        if (signal.aborted) return gone()
        signal.addEventListener('abort', gone, { once: true })
        // A function may throw before its first await.
        Promise.resolve()
          .then(run)
          .then(resolve as (value: T) => void, reject)
          .finally(() => signal.removeEventListener('abort', gone))
      })
    },
  }
}

async function parseDataResult(value: unknown, { route, name, mark }: DataCall): Promise<DataResult> {
  const refuse = (rule: string): never => {
    throw new Error(`${name} of ${route} must return ${rule}`)
  }
  if (!isRecord(value)) return refuse('{ props }, { redirect } or { notFound: true }')
  const revalidateSeconds = parseRevalidate(value.revalidate, refuse)
  const tags = parseTags(value.tags, refuse)
  if (value.notFound === true) return { kind: 'not-found', revalidateSeconds, tags }
  if (value.redirect !== undefined)
    return { kind: 'redirect', ...parseRedirect(value.redirect, refuse), revalidateSeconds, tags }
  const props = await value.props
  if (!isRecord(props)) return refuse('props as an object')
  return { kind: 'props', props: mark ? { ...props, ...mark } : props, revalidateSeconds, tags }
}

function parseRevalidate(value: unknown, refuse: (rule: string) => never): number | undefined {
  if (value === undefined || value === false) return undefined
  if (value === true) return 1
  if (typeof value === 'number' && Number.isFinite(value) && value > 0) return value
  return refuse('revalidate as a number of seconds above 0, or false')
}

function parseTags(value: unknown, refuse: (rule: string) => never): string[] {
  if (value === undefined) return []
  if (!Array.isArray(value) || value.some((tag) => typeof tag !== 'string')) return refuse('tags as a list of strings')
  // Every member was checked above.
  return value as string[]
}

function parseRedirect(value: unknown, refuse: (rule: string) => never): { location: string; status: RedirectStatus } {
  if (!isRecord(value) || typeof value.destination !== 'string') return refuse('redirect as { destination, permanent }')
  const { permanent, statusCode } = value
  if ((typeof permanent === 'boolean') === (statusCode !== undefined))
    return refuse('redirect with either permanent (true or false) or statusCode')
  const status = statusCode === undefined ? (permanent ? 308 : 307) : statusCode
  if (![301, 302, 303, 307, 308].includes(status as number))
    return refuse('redirect.statusCode as 301, 302, 303, 307 or 308')
  return { location: value.destination, status: status as RedirectStatus }
}

/** Aborts when the client disconnects, or earlier. */
export function workOf(signal: AbortSignal): AbortController {
  const work = new AbortController()
  if (signal.aborted) work.abort(signal.reason)
  else signal.addEventListener('abort', () => work.abort(signal.reason), { once: true })
  return work
}
