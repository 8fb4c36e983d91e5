// Turns one submission into a result (A5, A6, A9): runs the action once per key (submit-once.ts), publishes its
// invalidations before any request for fresh data, and keeps the result. A repeated response does not undo a log-in or
// log-out since the first arrival: its session cookies are not sent again. Where records are kept is left to store/,
// the response to send/.

import { hash } from 'node:crypto'
import { sessionFormOf } from '@portico/shared/kit/cookies/cookie-seal.ts'
import type { InvalidationPort } from '@portico/shared/kit/feed/publish.ts'
import type { Log } from '@portico/shared/kit/observe/log.ts'
import type { RequestContext } from '@portico/shared/wire/bundles.ts'
import {
  HANDLER_TIMEOUT_MS,
  IDEMPOTENCY_BODY_LIMIT_BYTES,
  IDEMPOTENCY_KEEP_MS,
  IDEMPOTENCY_LOCATION_LIMIT,
  KEYLESS_WINDOW_MS,
  THROWN_KEEP_MS,
} from '@portico/shared/wire/constants.ts'
import type { FeedPosition } from '@portico/shared/wire/invalidation.ts'
import { markedAddress } from '@portico/shared/wire/locales/locales.ts'
import { refuseInternalHeader } from '@portico/shared/wire/policy/internal-headers.ts'
import { parseSetCookie } from 'cookie'
import type { Clock } from '../clock.ts'
import type { ClientIdentity, Exchange, ReadSubmission, RequestFacts } from '../request/request.ts'
import { type ActionOutcome, createLazyAbort, runAction } from '../run/run.ts'
import type { Site } from '../site/site.ts'
import type { Holder, Kept } from '../store/store.ts'
import type { Run, SubmitOnce } from './submit-once.ts'

export { type BeginDeps, createSubmitOnce } from './submit-once.ts'

/** The result of an action, equal for every arrival of its submission. */
export interface ActionResult {
  outcome: ActionOutcome
  setCookies: string[]
  /** What the action added with `setHeaders`, by names in lower case; absent without any. */
  headers?: Record<string, string>
  /** Absent when the run changed no session. */
  sessions?: SessionsBefore
  revalidated: boolean
  /** What a page rendered for the client contains. */
  position?: FeedPosition
}

export type SubmitResult =
  | { kind: 'result'; result: ActionResult }
  /** The action ran; its response is not stored any more. */
  | { kind: 'done'; status: number; location?: string }
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

interface SubmitActionInput {
  submission: ReadSubmission
  client: ClientIdentity
  /** Hash of the client's address, for budgets. */
  address: string
  context: Exchange['context']
  facts: CookieFacts
  /**
   * Aborts when the client closes the connection; ends only the waits for the state store and for another arrival, which
   * alone read the signal.
   */
  left: { readonly signal: AbortSignal }
}

/** Runs the submission or waits for the arrival that runs it. Never rejects for a fault of the handler. */
export async function submitAction(input: SubmitActionInput, deps: SubmitActionDeps): Promise<SubmitResult> {
  const { submission } = input
  const { options } = submission.action
  const record = recordOf(input)
  if (!record) return { kind: 'result', result: (await runOnce(input, deps)).result }
  const once = await deps.submitOnce(
    {
      ...record,
      fingerprint: submission.fingerprint,
      bytes: submission.bytes,
      safeToRepeat: options.safeToRepeat === true,
      bestEffort: options.idempotency === 'best-effort',
      waitMs: options.timeoutMs ?? HANDLER_TIMEOUT_MS,
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
      return repeatOf(once.kept, input.facts)
    case 'late':
      return { kind: 'still-running' }
    case 'other-body':
    case 'unknown':
    case 'unavailable':
      return { kind: once.kind }
  }
}

interface RecordAddress {
  id: string
  otherIds: string[]
  holder: Holder
  keepMs: number
}

/** The record of the submission; undefined for an unknown client, and without a key for a script or a repeatable action. */
function recordOf({ submission, client, address }: SubmitActionInput): RecordAddress | undefined {
  const { action, key, isScripted, fingerprint } = submission
  if (client.kind === 'none' || (key === undefined && (isScripted || action.options.repeat === 'allow')))
    return undefined
  // A double click sends the same counter twice. The first response rotates the counter, so equal fields that are sent
  // later are a new submission.
  const effectiveKey = key ?? `fields.${client.cookie?.counter ?? 'none'}.${fingerprint}`
  const idFor = (clientId: string) => hash('sha256', JSON.stringify([action.id, clientId, effectiveKey]), 'base64url')
  return {
    id: idFor(client.id),
    // SECURITY: only with a key, which no other client knows; equal fields do not prove that a client sent both.
    otherIds: key === undefined ? [] : client.earlierIds.map(idFor),
    holder: { client: hash('sha256', client.id, 'base64url').slice(0, HOLDER_LENGTH), address },
    keepMs: key === undefined ? KEYLESS_WINDOW_MS : IDEMPOTENCY_KEEP_MS,
  }
}

/** Characters of a holder's hash: 132 bits. */
export const HOLDER_LENGTH = 22

async function runOnce(input: SubmitActionInput, deps: SubmitActionDeps): Promise<Run<ActionResult>> {
  const { action, args, key, isScripted } = input.submission
  // A closed connection does not abort the action: at a double click browsers drop the first of two requests, and the
  // second request waits for the action of the first.
  const time = createLazyAbort()
  const headers = new Map<string, string>()
  const context: RequestContext = {
    ...input.context,
    kind: 'action',
    name: action.name,
    setHeader(name, value) {
      refuseInternalHeader(name)
      headers.set(name, value)
    },
    get signal() {
      return time.signal
    },
  }
  const outcome = await runAction(
    { action, args, context, abort: () => time.abort(new Error('the action reached its time limit')) },
    { ...deps, runWithContext: deps.site.runWithContext },
  )
  const published = await publishRevalidations(context, deps)
  const { setCookies } = context
  const sessions = sessionsBefore(input.facts, setCookies)
  const result: ActionResult = {
    outcome,
    setCookies,
    ...(headers.size > 0 && { headers: Object.fromEntries(headers) }),
    ...(sessions && { sessions }),
    ...published,
  }
  // The next call of a script has another key. A rendered key stays in its page: after the fault its form is sent again.
  const isFreedSoon = outcome.kind === 'error' && key !== undefined && !isScripted
  const kept = keptOf(result, action.options.safeToRepeat === true)
  return { result, kept, ...(isFreedSoon && { keepMs: THROWN_KEEP_MS }) }
}

/** Publishes the collected revalidations and clears them, so that a later call publishes only new ones. */
export async function publishRevalidations(
  { revalidations, requestId }: Pick<RequestContext, 'revalidations' | 'requestId'>,
  { invalidation, log, site }: Pick<SubmitActionDeps, 'invalidation' | 'log'> & { site: Pick<Site, 'i18n'> },
): Promise<Pick<ActionResult, 'revalidated' | 'position'>> {
  if (!revalidations || revalidations.paths.size + revalidations.tags.size === 0) return { revalidated: false }
  const paths = [...revalidations.paths].map((path) => markedAddress(site.i18n, path))
  const change = { paths, tags: [...revalidations.tags] }
  revalidations.paths.clear()
  revalidations.tags.clear()
  try {
    return { revalidated: true, position: await invalidation.publish(change) }
  } catch (error) {
    // The handler has run; pages show its changes after the end of their lifetime.
    log.error({ error, requestId }, 'invalidation not published')
    return { revalidated: true }
  }
}

/** Status of a record whose run reached its time limit: the effect is unknown. No outcome has this status. */
const UNKNOWN_STATUS = 409

/** The values of the record; undefined when the handler did not run, so that the next arrival may run. */
function keptOf(result: ActionResult, safeToRepeat: boolean): Kept | undefined {
  const { outcome } = result
  switch (outcome.kind) {
    case 'invalid':
    case 'refused':
      return undefined
    case 'late':
      // The handler may have done a part of its work before the time limit.
      return safeToRepeat ? undefined : { status: UNKNOWN_STATUS }
    case 'redirect': {
      const { location } = outcome
      return { status: 303, ...(location.length <= IDEMPOTENCY_LOCATION_LIMIT && { location }), ...bodyOf(result) }
    }
    case 'not-found':
      return { status: 404, ...bodyOf(result) }
    case 'error':
      return { status: 500, ...bodyOf(result) }
    case 'value':
      return { status: 200, ...(bodyOf(result) ?? bodyOf({ ...result, outcome: { kind: 'value', omitted: true } })) }
  }
}

/** The response as text; undefined when the text is too large for the record. */
function bodyOf(result: ActionResult): { body: string } | undefined {
  const body = JSON.stringify({ kind: 'result', result } satisfies SubmitResult)
  return Buffer.byteLength(body) <= IDEMPOTENCY_BODY_LIMIT_BYTES ? { body } : undefined
}

function repeatOf({ status, location, body }: Kept, facts: CookieFacts): SubmitResult {
  // bodyOf wrote the text, and the seal of the store proves that the text was not altered.
  if (body !== undefined) {
    const first = JSON.parse(body) as SubmitResult
    if (first.kind !== 'result') return first
    return { kind: 'result', result: { ...first.result, setCookies: repeatedCookies(facts, first.result) } }
  }
  if (status === UNKNOWN_STATUS) return { kind: 'unknown' }
  return { kind: 'done', status, ...(location !== undefined && { location }) }
}

type CookieFacts = Pick<RequestFacts, 'cookies' | 'cookieSeal'>

/** By cookie name: the id of the session before the run; null where there was none. */
type SessionsBefore = Readonly<Record<string, string | null>>

/** The sessions that the run has changed; undefined without one. */
function sessionsBefore(facts: CookieFacts, setCookies: readonly string[]): SessionsBefore | undefined {
  const changed = setCookies.flatMap((line) => {
    const { name, value } = parseSetCookie(line)
    const before = sessionIdOf(facts, name, facts.cookies[name])
    return (before ?? sessionIdOf(facts, name, value)) ? [[name, before ?? null] as const] : []
  })
  return changed.length === 0 ? undefined : Object.fromEntries(changed)
}

/**
 * The cookies without those of a session that is not the present one any more: neither the session before the run, nor
 * the one that the run began.
 */
function repeatedCookies(
  facts: CookieFacts,
  { setCookies, sessions }: { setCookies: string[]; sessions?: SessionsBefore },
): string[] {
  if (!sessions) return setCookies
  return setCookies.filter((line) => {
    const { name, value } = parseSetCookie(line)
    const present = Object.hasOwn(sessions, name) ? sessionIdOf(facts, name, facts.cookies[name]) : undefined
    return present === undefined || present === sessions[name] || present === sessionIdOf(facts, name, value)
  })
}

function sessionIdOf({ cookieSeal }: CookieFacts, name: string, value: string | undefined): string | undefined {
  const form = value === undefined ? undefined : sessionFormOf(value)
  return form && value !== undefined ? cookieSeal.openSession(name, value, form)?.session.id : undefined
}
