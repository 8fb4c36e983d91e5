// The promises in the props of a data function (W2): each gets a number and, when it settles, one line of JSON.

import type { DeferredProps } from '@portico/shared/wire/bundles.ts'
import { PAGE_DATA_LIMIT } from '@portico/shared/wire/constants.ts'
import { createDeferredReader } from '@portico/shared/wire/deferred/decode.ts'
import { encodeDeferred, replacePromises } from '@portico/shared/wire/deferred/encode.ts'
import { type DeferredFailure, formatFailureLine, formatValueLine } from '@portico/shared/wire/deferred/lines.ts'
import type { PageData } from '@portico/shared/wire/page-data.ts'
import type { RouteParams } from '@portico/shared/wire/route-params.ts'

export interface DeferredValues extends DeferredProps {
  /** The props for the render on the server: their promises also end with the work. */
  readonly props: Record<string, unknown>
  /** The first rejection; known when `follow` has resolved. */
  readonly failed: { error: unknown } | undefined
}

export interface DeferredOptions {
  /** Rejects every open promise: the time limit is reached, or the client has disconnected. */
  signal: AbortSignal
  /** What the browser receives of an error; logs it. */
  failureOf: (error: unknown) => DeferredFailure
}

/** Undefined for props without promises. Throws for props that are no JSON. */
export function createDeferredValues(
  given: Record<string, unknown>,
  { signal, failureOf }: DeferredOptions,
): DeferredValues | undefined {
  const byOriginal = new Map<PromiseLike<unknown>, Promise<unknown>>()
  const numbers = new Map<object, number>()
  const lines = createLines()
  const aborted = rejectionOf(signal)
  let failed: { error: unknown } | undefined

  const fail = (n: number, error: unknown): void => {
    failed ??= { error }
    lines.add(formatFailureLine(n, failureOf(error)))
  }

  const wrap = (original: PromiseLike<unknown>): PromiseLike<unknown> => {
    const known = byOriginal.get(original)
    if (known) return known
    if (signal.aborted) {
      ignorePromises(original)
      return original
    }
    const n = numbers.size
    const replaced = Promise.resolve(original).then((value) => replacePromises(value, wrap))
    const promise = Promise.race([replaced, aborted])
    byOriginal.set(original, promise)
    numbers.set(promise, n)
    lines.open()
    // The handler is attached immediately: a rejection that no part of the page waits for must not end the process.
    promise
      .then((value) => lines.add(lines.counted(formatValueLine(n, encode(value)))))
      .catch((error: unknown) => fail(n, error))
    return promise
  }

  // Every promise in a replaced value is one that `wrap` has numbered.
  const numberOf = (promise: object): number => {
    const n = numbers.get(promise)
    if (n === undefined) throw new Error('toJSON() returned a promise; return a value')
    return n
  }
  const encode = (value: unknown) => encodeDeferred(value, numberOf)

  // The copy of a record is a record.
  const props = replacePromises(given, wrap) as Record<string, unknown>
  if (numbers.size === 0) return undefined
  const json = lines.counted(encode(props) ?? '{}')
  return {
    props,
    json,
    follow: lines.follow,
    get failed() {
      return failed
    },
  }
}

/** No client waits for the value any more: its promises, and those in their values, may be rejected. */
export function ignorePromises(value: unknown, seen = new Set<unknown>()): void {
  replacePromises(value, (promise) => {
    // A promise may be in its own value.
    if (seen.has(promise)) return promise
    seen.add(promise)
    Promise.resolve(promise)
      .then((settled) => ignorePromises(settled, seen))
      .catch(() => {})
    return promise
  })
}

/** Page data as JSON text (W2). `lines`: of every promise in the props, absent where the lines follow. */
export function formatPage(
  { route, params }: { route: string; params: RouteParams },
  propsJson: string,
  lines?: readonly string[],
): string {
  const deferred = lines === undefined ? '' : `,"deferred":[${lines.join()}]`
  return `${JSON.stringify({ kind: 'page', route, params }).slice(0, -1)},"props":${propsJson}${deferred}}`
}

/** The lines of all promises, when the last one has settled. */
export async function allLines({ follow }: DeferredProps): Promise<string[]> {
  const lines: string[] = []
  await follow((line) => lines.push(line))
  return lines
}

/** The props of stored page data, for another render. */
export function openStoredProps({ props, deferred }: Pick<PageOfData, 'props' | 'deferred'>) {
  if (!deferred) return { props }
  // The reader changes what it reads.
  const json = JSON.stringify(props)
  const lines = deferred.map((line) => JSON.stringify(line))
  const reader = createDeferredReader()
  // The decoded value of a record is a record.
  const opened = reader.read(props) as Record<string, unknown>
  for (const line of deferred) reader.settle(line)
  const follow: DeferredProps['follow'] = async (onLine) => lines.forEach(onLine)
  return { props: opened, deferred: { json, follow } }
}

type PageOfData = Extract<PageData, { kind: 'page' }>

/** The lines so far, and those that follow. */
function createLines() {
  const settled: string[] = []
  const followers: ((line: string) => void)[] = []
  const { promise: ended, resolve: end } = Promise.withResolvers<void>()
  let open = 0
  let characters = 0

  return {
    open: () => void open++,
    /** The text. Throws if all texts together are too large. */
    counted(text: string): string {
      if (characters + text.length > PAGE_DATA_LIMIT)
        throw new Error(`the page data has more than ${PAGE_DATA_LIMIT} characters`)
      characters += text.length
      return text
    },
    add(line: string): void {
      settled.push(line)
      for (const onLine of followers) onLine(line)
      open--
      if (open === 0) end()
    },
    follow(onLine: (line: string) => void): Promise<void> {
      for (const line of settled) onLine(line)
      followers.push(onLine)
      return ended
    },
  }
}

/** Rejects when the signal aborts. */
function rejectionOf(signal: AbortSignal): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>()
  const onAbort = () => reject(signal.reason)
  if (signal.aborted) onAbort()
  else signal.addEventListener('abort', onAbort, { once: true })
  promise.catch(() => {})
  return promise
}
