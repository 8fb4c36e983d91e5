// Runs one action and returns its outcome, without HTTP: an outcome is a value that can be stored and sent later. Never
// rejects for what the action throws, and ends at the time limit. Once per key is left to submission/.

import { createDigest } from '@portico/shared/kit/http/request-id.ts'
import type { Log } from '@portico/shared/kit/observe/log.ts'
import type { ReportRequestError } from '@portico/shared/kit/observe/site/instrumentation.ts'
import { traced } from '@portico/shared/kit/observe/tracing.ts'
import type { ActionIssue } from '@portico/shared/wire/action-wire.ts'
import type { InputSchema, RequestContext, RunWithContext } from '@portico/shared/wire/bundles.ts'
import { HANDLER_TIMEOUT_MS } from '@portico/shared/wire/constants.ts'
import { controlFlowOf, type RefusalStatus } from '@portico/shared/wire/errors/control-flow.ts'
import { locationOnSite, type SiteAddresses } from '@portico/shared/wire/routing/urls.ts'
import type { Clock } from '../clock.ts'
import type { LoadedAction } from '../site/site.ts'

export type ActionOutcome =
  /** `json` is absent for undefined; `omitted` when the value was too large for the record. */
  | { kind: 'value'; json?: string; omitted?: true }
  | { kind: 'redirect'; location: string }
  | { kind: 'not-found' }
  /** The action called unauthorized() or forbidden(). */
  | { kind: 'refused'; status: RefusalStatus }
  | { kind: 'invalid'; issues: ActionIssue[] }
  | { kind: 'error'; digest: string }
  /** The action reached its time limit; the handler may have done a part of its work. */
  | { kind: 'late' }

interface ActionCall {
  action: LoadedAction
  /** Bound arguments first, the input last. */
  args: unknown[]
  context: RequestContext
  /** Aborts `context.signal` at the time limit. */
  abort: () => void
}

interface RunActionDeps {
  runWithContext: RunWithContext
  clock: Clock
  log: Log
  site: SiteAddresses & { onRequestError?: ReportRequestError | undefined }
}

/** Runs the action within its time limit. Never rejects; an error is logged once, with the digest (E4). */
export async function runAction(call: ActionCall, deps: RunActionDeps): Promise<ActionOutcome> {
  const { action, context } = call
  let stopTime = () => {}
  const late = new Promise<ActionOutcome>((done) => {
    const limitMs = action.options.timeoutMs ?? HANDLER_TIMEOUT_MS
    stopTime = deps.clock.after(limitMs, () => done({ kind: 'late' }))
  })
  const run = () => traced('action', async () => deps.runWithContext(context, () => invoke(call)))
  const work = run().catch((thrown: unknown) => outcomeOfThrown(thrown, call, deps))
  const outcome = await Promise.race([work, late])
  stopTime()
  if (outcome.kind === 'late') {
    call.abort()
    deps.log.error({ action: action.name, requestId: context.requestId }, 'action reached its time limit')
  }
  return outcome
}

async function invoke({ action, args }: ActionCall): Promise<ActionOutcome> {
  if (!action.isDefined) return valueOutcome(await action.run(...args))
  const previous = args.length > 1 ? args.at(-2) : undefined
  let input = args.at(-1)
  if (action.options.input) {
    const checked = await validate(action.options.input, input)
    if (checked.issues) return { kind: 'invalid', issues: checked.issues }
    input = checked.value
  }
  return valueOutcome(await action.run(input, { previous }))
}

function valueOutcome(value: unknown): ActionOutcome {
  // Throws for cycles and BigInt, which is an error of the handler; returns undefined for undefined and functions.
  const json = JSON.stringify(value)
  return json === undefined ? { kind: 'value' } : { kind: 'value', json }
}

/** Validates with a Standard Schema and flattens the paths of the issues. */
async function validate(
  schema: InputSchema,
  input: unknown,
): Promise<{ issues: ActionIssue[]; value?: undefined } | { issues?: undefined; value: unknown }> {
  const result = await schema['~standard'].validate(input)
  if (!result.issues) return { value: result.value }
  return {
    issues: result.issues.map(({ message, path = [] }) => ({
      path: path.map((part) => String(typeof part === 'object' ? part.key : part)).join('.'),
      message,
    })),
  }
}

function outcomeOfThrown(thrown: unknown, { action, context }: ActionCall, deps: RunActionDeps): ActionOutcome {
  const flow = controlFlowOf(thrown)
  if (flow?.kind === 'not-found' || flow?.kind === 'refused') return flow
  const location = flow && siteLocation(flow.location, deps.site)
  if (location !== undefined) return { kind: 'redirect', location }
  const digest = createDigest()
  const error = flow ? new Error('the location of redirect() must be a path or an http URL') : thrown
  deps.log.error({ error, digest, action: action.name, requestId: context.requestId }, 'action failed')
  const request = { url: context.url, method: 'POST', headers: context.headers }
  deps.site.onRequestError?.(error, request, { routePath: action.name, routeType: 'action' })
  return { kind: 'error', digest }
}

/** The Location of redirect(): below basePath, in the spelling that needs no second redirect (R6). */
export function siteLocation(location: string, site: SiteAddresses): string | undefined {
  const written = writtenLocation(location)
  return written && locationOnSite(site, written)
}

/**
 * A location in characters that a header can contain. SECURITY: `//host` and `/\host` name another origin, so their
 * slashes are collapsed. `javascript:` would run a script, so this location is refused (undefined).
 */
export function writtenLocation(location: string): string | undefined {
  if (/^https?:\/\//i.test(location)) return URL.canParse(location) ? new URL(location).href : undefined
  if (!/^[/\\?#]/.test(location)) return undefined
  // The base is not used.
  const { pathname, search, hash } = new URL(location.replace(/^[/\\\s]+/, '/'), 'http://site.invalid')
  if (/^[?#]/.test(location)) return `${search}${hash}` || location
  // SECURITY: URL turns `/.//host` into `//host`.
  return `${pathname.replace(/^\/+/, '/')}${search}${hash}`
}

export function createLazyAbort() {
  let controller: AbortController | undefined
  let ended: { reason: unknown } | undefined
  return {
    get signal(): AbortSignal {
      if (!controller) {
        controller = new AbortController()
        if (ended) controller.abort(ended.reason)
      }
      return controller.signal
    },
    abort(reason: unknown): void {
      ended ??= { reason }
      controller?.abort(ended.reason)
    },
  }
}
