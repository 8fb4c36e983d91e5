// One submission from its arguments to a result (A5, A6, A9): once per key, with its invalidations published before
// anybody asks for fresh data.

import { hash, randomBytes } from 'node:crypto'
import type { InvalidationPort } from '../shared/node/invalidation.ts'
import type { Log } from '../shared/node/log.ts'
import type { RequestContext } from '../shared/wire/bundles.ts'
import { IDEMPOTENCY_ANSWER_LIMIT_BYTES, IDEMPOTENCY_KEEP_MS, KEYLESS_WINDOW_MS } from '../shared/wire/constants.ts'
import type { Clock } from './clock.ts'
import type { Run, SubmitOnce } from './idempotency/submit-once.ts'
import { createLazyAbort } from './lazy-abort.ts'
import type { ReadSubmission } from './read-submission.ts'
import { type ActionOutcome, DEFAULT_ACTION_TIMEOUT_MS, runAction } from './run-action.ts'
import type { Site } from './site.ts'

/** What an action leaves for every arrival of its submission. */
export interface ActionResult {
  outcome: ActionOutcome
  setCookies: string[]
  revalidated: boolean
  generation?: number
}

export type SubmitResult =
  | { kind: 'result'; result: ActionResult }
  | { kind: 'other-body' }
  | { kind: 'unknown' }
  | { kind: 'still-running' }
  | { kind: 'unavailable' }

export interface SubmitActionDeps {
  site: Site
  submitOnce: SubmitOnce
  invalidation: InvalidationPort
  clock: Clock
  log: Log
}

export interface SubmitActionInput {
  submission: ReadSubmission
  visitorId: string
  /** Without what is made here. */
  context: Omit<RequestContext, 'signal' | 'kind' | 'name'>
  /** Aborts when the visitor leaves; ends only the wait for another arrival. Asked for then only. */
  left: { readonly signal: AbortSignal }
}

/** Runs the submission or waits for the arrival that does. Never rejects for what the handler does. */
export async function submitAction(input: SubmitActionInput, deps: SubmitActionDeps): Promise<SubmitResult> {
  const { submission, visitorId } = input
  const { options } = submission.action
  const once = await deps.submitOnce(
    {
      id: recordId(submission, visitorId),
      fingerprint: submission.fingerprint,
      keepMs: submission.key === undefined && !submission.isScripted ? KEYLESS_WINDOW_MS : IDEMPOTENCY_KEEP_MS,
      safeToRepeat: options.safeToRepeat === true,
      bestEffort: options.idempotency === 'best-effort',
      waitMs: options.timeoutMs ?? DEFAULT_ACTION_TIMEOUT_MS,
      get signal() {
        return input.left.signal
      },
    },
    () => runOnce(input, deps),
  )
  switch (once.kind) {
    case 'ran':
      return { kind: 'result', result: once.result }
    case 'repeated':
      return parseKept(once.answer)
    case 'late':
      return { kind: 'still-running' }
    case 'other-body':
    case 'unknown':
    case 'unavailable':
      return { kind: once.kind }
  }
}

/** A script that sends no key asks for no protection: its record has a key that nobody else can name. */
function recordId({ action, key, isScripted, fingerprint }: ReadSubmission, visitorId: string): string {
  const effectiveKey = key ?? (isScripted ? randomBytes(16).toString('base64url') : `fields.${fingerprint}`)
  return hash('sha256', JSON.stringify([action.id, visitorId, effectiveKey]), 'base64url')
}

async function runOnce(input: SubmitActionInput, deps: SubmitActionDeps): Promise<Run<ActionResult>> {
  const { action, args } = input.submission
  // The visitor's leaving does not abort an action: a double click makes browsers drop the first of two requests,
  // and the second one waits for what the first one does.
  const time = createLazyAbort()
  const context: RequestContext = {
    ...input.context,
    kind: 'action',
    name: action.name,
    get signal() {
      return time.signal
    },
  }
  const outcome = await runAction(
    { action, args, context, abort: () => time.abort(new Error('the time limit of the action was reached')) },
    { ...deps, runWithContext: deps.site.runWithContext, basePath: deps.site.basePath },
  )
  const published = await publishRevalidations(context, deps)
  const result: ActionResult = { outcome, setCookies: context.setCookies, ...published }
  return { result, answer: keptAnswer(result, action.options.safeToRepeat === true) }
}

/** Publishes what was collected and empties it, so that a later call publishes only what is new. */
export async function publishRevalidations(
  { revalidations, requestId }: Pick<RequestContext, 'revalidations' | 'requestId'>,
  { invalidation, log }: Pick<SubmitActionDeps, 'invalidation' | 'log'>,
): Promise<{ revalidated: boolean; generation?: number }> {
  if (!revalidations || revalidations.paths.size + revalidations.tags.size === 0) return { revalidated: false }
  const change = { paths: [...revalidations.paths], tags: [...revalidations.tags] }
  revalidations.paths.clear()
  revalidations.tags.clear()
  try {
    return { revalidated: true, generation: (await invalidation.publish(change)).generation }
  } catch (error) {
    // The handler has run; what it changed is shown once its pages' own lifetime is over.
    log.error({ error, requestId }, 'an invalidation could not be published')
    return { revalidated: true }
  }
}

/** The record's text; undefined when nothing was done, so that the next arrival may run. */
function keptAnswer(result: ActionResult, safeToRepeat: boolean): string | undefined {
  const { outcome } = result
  if (outcome.kind === 'invalid') return undefined
  // A handler that was cut off may have done a part: repeats are told so, unless it may be repeated.
  if (outcome.kind === 'late') return safeToRepeat ? undefined : '{"kind":"unknown"}'
  const text = JSON.stringify({ kind: 'result', result })
  if (Buffer.byteLength(text) <= IDEMPOTENCY_ANSWER_LIMIT_BYTES || outcome.kind !== 'value') return text
  return JSON.stringify({ kind: 'result', result: { ...result, outcome: { kind: 'value', omitted: true } } })
}

function parseKept(answer: string): SubmitResult {
  // This file wrote the text; the state store is as private as the service itself.
  return JSON.parse(answer) as SubmitResult
}
