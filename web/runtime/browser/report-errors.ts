// Passes the errors of the browser to `onError` of the site's `instrumentation-client` (X16), each once, and none that is an
// expected end. Runs before `_app` and pages are loaded.

import { HEADERS, PAGE_DATA_ELEMENT_ID } from '@portico/shared/wire/constants.ts'
import { controlFlowOf } from '@portico/shared/wire/errors/control-flow.ts'
import type { HydrationData } from '@portico/shared/wire/page-data.ts'
import { manifestUrl } from '@portico/shared/wire/routing/urls.ts'
import type { HydrationOptions } from 'react-dom/client'
import type { InstrumentationClientModule } from '../client-instrumentation.ts'
import { type ErrorDetails, errorHost } from './hosts.ts'

type OnError = NonNullable<InstrumentationClientModule['onError']>

/** Calls in a period: an error of each frame, or of the function itself, must not call it for ever. */
const MOST_CALLS = 20
const PERIOD_MS = 10_000
/** The page may be left after this time, whether the site has responded or not. */
const CHECK_MS = 3000

/** What Chromium, Firefox and Safari say of an `import()` that fails, and the framework of a stylesheet. */
const CHUNK =
  /dynamically imported module|Importing a module script failed|^The stylesheet .* cannot be loaded|^Unable to preload CSS/
/** React, where the server has not sent a part: the connection broke, or a digest names the error. */
const UNFINISHED = /React error #419|^The server could not finish this Suspense boundary/
/** Reasons of the router that are no faults: the browser loads the address as a document. */
const ORDINARY = /^(no-route|policy|redirect|retry)$|foreign-build$/
/** The screen of a page that could not be loaded as a document either. */
const NOT_LOADED = /^The page cannot be loaded/

export function watchErrors(onError: OnError): void {
  const seen = new WeakSet<object>()
  /** One error of the server may arrive as several of the browser: of a deferred value, and of the part that has it. */
  const digests = new Set<string>()
  /** React's error is given to the browser's own report, whose event must not report it again. */
  let isPassedOn = false
  let isLeaving = false
  const mayCall = createLimit()

  /** Whether the value is new; a text or a number always is. */
  const isNew = (value: unknown): boolean => {
    if (Object(value) !== value) return true
    // The cast: it is an object or a function.
    const error = value as object
    return !seen.has(error) && seen.add(error) !== undefined
  }

  const call = async (error: unknown, { kind, route, componentStack }: ErrorDetails): Promise<void> => {
    const page = documentData()
    const digest = digestOf(error)
    if (digest !== undefined) {
      if (digests.has(digest)) return
      digests.add(digest)
    }
    if (!mayCall()) return
    try {
      await onError(error, {
        kind,
        route: route ?? errorHost.route ?? page.route,
        digest,
        componentStack,
        buildId: page.buildId,
      })
    } catch (thrown) {
      console.error('onError of instrumentation-client failed', thrown)
    }
  }

  const report = async (thrown: unknown, details: ErrorDetails): Promise<void> => {
    if (!isNew(thrown) || isExpected(thrown)) return
    const { error, kind, isOfNetwork } = classify(thrown, details.kind)
    if (error !== thrown && !isNew(error)) return
    // What a page still requested when it was left has failed for that reason.
    if (isOfNetwork && (isLeaving || !(await isOfThisBuild()))) return
    // Not awaited: the function may wait for what the page does next.
    void call(error, { ...details, kind })
  }

  errorHost.report = report
  errorHost.watchRoot = (base = {}) => {
    const passOn = (error: unknown) => {
      isPassedOn = true
      reportError(error)
      isPassedOn = false
    }
    const watch =
      <Name extends 'onCaughtError' | 'onUncaughtError' | 'onRecoverableError'>(
        name: Name,
        fallback: (error: unknown) => void,
      ) =>
      (error: unknown, info: { componentStack?: string | undefined }) => {
        // React's note that it rendered again; the cause is what happened.
        const { cause } = Object(error) as { cause?: unknown }
        void report(name === 'onRecoverableError' && cause !== undefined ? cause : error, {
          kind: 'render',
          componentStack: info.componentStack,
        })
        // The cast: the three functions differ in members of the information that are passed on as they are.
        const own = base[name] as ((error: unknown, info: unknown) => void) | undefined
        if (own) own(error, info)
        else fallback(error)
      }
    return {
      onCaughtError: watch('onCaughtError', (error) => console.error(error)),
      onUncaughtError: watch('onUncaughtError', passOn),
      onRecoverableError: watch('onRecoverableError', passOn),
    } satisfies HydrationOptions
  }

  addEventListener('error', ({ error }) => {
    // Without an error the event is of a file, or of a script of another origin.
    if (error !== null && error !== undefined && !isPassedOn) void report(error, { kind: 'event' })
  })
  addEventListener('unhandledrejection', ({ reason }) => void report(reason, { kind: 'event' }))
  addEventListener('pagehide', () => {
    isLeaving = true
  })
  addEventListener('pageshow', () => {
    isLeaving = false
  })
}

function digestOf(error: unknown): string | undefined {
  const { digest } = Object(error) as { digest?: unknown }
  return typeof digest === 'string' ? digest : undefined
}

/** Aborted work, control flow, and values that did not arrive because the document was cut off. */
function isExpected(thrown: unknown): boolean {
  if (controlFlowOf(thrown)) return true
  if (!(thrown instanceof Error) && !(thrown instanceof DOMException)) return false
  const { name, message, reason } = thrown as Error & { reason?: unknown }
  if (name === 'AbortError') return true
  if (name === 'RouteLoadError') return ORDINARY.test(String(reason))
  return digestOf(thrown) === undefined && (UNFINISHED.test(message) || message === 'Deferred data failed')
}

interface Classified {
  error: unknown
  kind: ErrorDetails['kind']
  /** Whether the network or another build may be the cause. */
  isOfNetwork: boolean
}

function classify(thrown: unknown, kind: ErrorDetails['kind']): Classified {
  if (!(thrown instanceof Error)) return { error: thrown, kind, isOfNetwork: false }
  // By its name: its class is in the code of the router.
  if (thrown.name === 'RouteLoadError') {
    const { reason } = thrown as Error & { reason?: unknown }
    const isOfData = String(reason).startsWith('data-')
    return { error: thrown.cause ?? thrown, kind: isOfData ? 'navigation' : 'chunk', isOfNetwork: true }
  }
  if (CHUNK.test(thrown.message)) return { error: thrown, kind: 'chunk', isOfNetwork: true }
  if (NOT_LOADED.test(thrown.message)) return { error: thrown, kind: 'navigation', isOfNetwork: true }
  // A fetch without a response.
  return { error: thrown, kind, isOfNetwork: kind === 'action' && thrown instanceof TypeError }
}

/**
 * Whether the site can be reached, and has the build of this page: else a file that is missing is no fault. Manifests of
 * earlier builds are kept; the gateway itself responds for a name that no build has, and no cache keeps the response.
 */
async function isOfThisBuild(): Promise<boolean> {
  const { basePath, buildId } = documentData()
  try {
    const signal = AbortSignal.timeout(CHECK_MS)
    const { headers } = await fetch(manifestUrl(basePath, 'none'), { cache: 'no-store', signal })
    return (headers.get(HEADERS.build) ?? buildId) === buildId
  } catch {
    return false
  }
}

function documentData(): Pick<HydrationData, 'basePath' | 'buildId' | 'route'> {
  // Every document with scripts has the element.
  return JSON.parse(document.getElementById(PAGE_DATA_ELEMENT_ID)!.textContent!) as HydrationData
}

function createLimit(): () => boolean {
  let calls = 0
  let since = 0
  return () => {
    const now = performance.now()
    if (now - since > PERIOD_MS) {
      since = now
      calls = 0
    }
    return calls++ < MOST_CALLS
  }
}
