// Calls getServerSideProps and getStaticProps, with their time limit, and reads what they return (D2, D3, D7).

import type { DataFunctionContext } from '../shared/wire/bundles.ts'
import { DATA_FUNCTION_TIMEOUT_MS } from '../shared/wire/constants.ts'
import { controlFlowOf, type RedirectStatus } from '../shared/wire/control-flow.ts'

export type DataResult =
  | { kind: 'props'; props: Record<string, unknown>; revalidateSeconds: number | undefined; tags: string[] }
  | { kind: 'not-found'; revalidateSeconds: number | undefined }
  | { kind: 'redirect'; location: string; status: RedirectStatus; revalidateSeconds: number | undefined }

export interface DataCall {
  route: string
  /** Name for messages: getServerSideProps or getStaticProps. */
  name: string
  run: (context: DataFunctionContext) => unknown
  context: DataFunctionContext
  signal: AbortSignal
}

/** Runs a data function. Throws what it throws (control flow is a result), and a sentence for rubbish or a time-out. */
export async function callDataFunction(call: DataCall): Promise<DataResult> {
  try {
    return parseDataResult(await withinLimit(call), call)
  } catch (thrown) {
    const flow = controlFlowOf(thrown)
    if (flow?.kind === 'not-found') return { kind: 'not-found', revalidateSeconds: undefined }
    if (flow?.kind === 'redirect')
      return { kind: 'redirect', location: flow.location, status: flow.status, revalidateSeconds: undefined }
    throw thrown
  }
}

function withinLimit({ run, context, signal, route, name }: DataCall): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const late = () => reject(new Error(`${name} of ${route} took longer than ${DATA_FUNCTION_TIMEOUT_MS} ms`))
    const gone = () => reject(signal.reason)
    const timer = setTimeout(late, DATA_FUNCTION_TIMEOUT_MS)
    signal.addEventListener('abort', gone, { once: true })
    // A function that throws before its first await must not leave the timer behind.
    Promise.resolve()
      .then(() => run(context))
      .then(resolve, reject)
      .finally(() => {
        clearTimeout(timer)
        signal.removeEventListener('abort', gone)
      })
  })
}

async function parseDataResult(value: unknown, { route, name }: DataCall): Promise<DataResult> {
  const refuse = (rule: string): never => {
    throw new Error(`${name} of ${route} must return ${rule}`)
  }
  if (!isRecord(value)) return refuse('{ props }, { redirect } or { notFound: true }')
  const revalidateSeconds = parseRevalidate(value.revalidate, refuse)
  if (value.notFound === true) return { kind: 'not-found', revalidateSeconds }
  if (value.redirect !== undefined) return parseRedirect(value.redirect, revalidateSeconds, refuse)
  const props = await value.props
  if (!isRecord(props)) return refuse('props as an object')
  const tags = value.tags ?? []
  if (!Array.isArray(tags) || tags.some((tag) => typeof tag !== 'string')) return refuse('tags as a list of strings')
  return { kind: 'props', props, revalidateSeconds, tags: tags as string[] }
}

function parseRevalidate(value: unknown, refuse: (rule: string) => never): number | undefined {
  if (value === undefined || value === false) return undefined
  if (value === true) return 1
  if (typeof value === 'number' && Number.isFinite(value) && value > 0) return value
  return refuse('revalidate as a number of seconds above 0, or false')
}

function parseRedirect(
  value: unknown,
  revalidateSeconds: number | undefined,
  refuse: (rule: string) => never,
): DataResult {
  if (!isRecord(value) || typeof value.destination !== 'string') return refuse('redirect as { destination, permanent }')
  const { permanent, statusCode } = value
  if ((typeof permanent === 'boolean') === (statusCode !== undefined))
    return refuse('redirect with either permanent (true or false) or statusCode')
  const status = statusCode === undefined ? (permanent ? 308 : 307) : statusCode
  if (![301, 302, 303, 307, 308].includes(status as number))
    return refuse('redirect.statusCode as 301, 302, 303, 307 or 308')
  return { kind: 'redirect', location: value.destination, status: status as RedirectStatus, revalidateSeconds }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
