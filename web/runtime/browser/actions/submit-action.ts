// Posts an action call to the page that makes the call (W3) and acts on the response (W4). Loaded at first use.

import { type ActionResponse, parseActionResponse } from '@portico/shared/wire/action-wire.ts'
import type { InvalidInput } from '@portico/shared/wire/bundles.ts'
import { FORM_FIELDS, HEADERS, isProtocolField } from '@portico/shared/wire/constants.ts'
import { typedFields } from '@portico/shared/wire/forms/typed-fields.ts'
import type { ErrorBody, PageData } from '@portico/shared/wire/page-data.ts'
import { fetchWithRetries } from '@portico/shared/wire/retry.ts'
import { errorHost } from '../hosts.ts'
import { describeForm, OFFLINE_TEXT, OUTDATED_TEXT, UNREACHABLE_TEXT } from './form-submissions.ts'

export interface ActionDeps {
  buildId: string
  /** Path and query of the page that makes the call; another page may be shown when the response arrives. */
  url: string
  /** `repeat: 'allow'`: each call is another submission. */
  mayRepeat: boolean
  /** Shows data of the page, or the screen that takes its place. */
  applyData: (data: PageData) => Promise<void>
  /** Requests the data of the shown page again. */
  refresh: () => Promise<void>
  follow: (location: string) => void
  /** The service responded: prefetched data may be out of date (P4). */
  onResponse: () => void
  /** The form must keep its fields; the message is for pages that do not show the result themselves. */
  onRefused: (message: string) => void
}

/** Running calls of forms by identity: a second click of the same form joins the first. */
const running = new Map<string, Promise<unknown>>()
/** Keys of sent forms whose result is unknown: sent again, they are the same submission (A5). Oldest first. */
const unsettled = new Map<string, string>()
const MOST_UNSETTLED = 20
/**
 * Statuses of a gateway without the service's response, and of a service that is unavailable or still running. 429: a copy
 * whose response was lost may have arrived before the limit.
 */
const WITHOUT_RESULT: readonly number[] = [429, 502, 503, 504]

/** Results that this module returned without the service's response, with the arguments of their calls. */
const localRefusals = new WeakMap<object, unknown[]>()

export function submitAction(id: string, given: unknown[], deps: ActionDeps): Promise<unknown> {
  const call = submit(id, given, deps)
  // Before the caller has it, which may show it: as an error of React it would be one of a render.
  if (process.env.PORTICO_ERRORS) call.catch((error: unknown) => errorHost.report?.(error, { kind: 'action' }))
  return call
}

function submit(id: string, given: unknown[], deps: ActionDeps): Promise<unknown> {
  // With useActionState a local refusal is the next state, and would make the same form another submission: the call is
  // sent with the state before the refusal.
  const args = given.map((arg, index) => (localRefusals.get(Object(arg)) ?? given)[index])
  const form = args.findLast((arg) => arg instanceof FormData)
  if (!form) return send({ id, args, key: createKey() }, deps)
  if (deps.mayRepeat) return sendRepeatable({ id, args, form, key: createKey() }, deps)
  // Bound arguments distinguish the forms of a list: their fields may be equal, or absent.
  const identity = `${id} ${JSON.stringify(args.filter((arg) => arg !== form))} ${describeForm(form)}`
  const joined = running.get(identity)
  if (joined) return joined
  const key = unsettled.get(identity) ?? createKey()
  const settle = (isSettled: boolean) => {
    unsettled.delete(identity)
    if (!isSettled) unsettled.set(identity, key)
    if (unsettled.size > MOST_UNSETTLED) unsettled.delete(unsettled.keys().next().value!)
  }
  const call = send({ id, args, form, key, settle }, deps).finally(() => running.delete(identity))
  running.set(identity, call)
  return call
}

/** Calls of actions with `repeat: 'allow'` that overlap. */
let burst: { running: number; overlaps: boolean; isOutdated: boolean } | undefined

/**
 * Page data of overlapping calls may arrive in another order than it was made: after the last of these calls the page
 * requests its data again.
 */
async function sendRepeatable(call: Call, deps: ActionDeps): Promise<unknown> {
  burst ??= { running: 0, overlaps: false, isOutdated: false }
  const mine = burst
  mine.running++
  mine.overlaps ||= mine.running > 1
  const applyData = async (page: PageData) => {
    if (mine.overlaps && page.kind === 'page') mine.isOutdated = true
    else await deps.applyData(page)
  }
  try {
    return await send(call, { ...deps, applyData })
  } finally {
    mine.running--
    if (mine.running === 0) {
      burst = undefined
      if (mine.isOutdated) await deps.refresh()
    }
  }
}

interface Call {
  id: string
  args: unknown[]
  key: string
  form?: FormData
  /** Receives whether the service has reported the result. */
  settle?: (isSettled: boolean) => void
}

async function send(call: Call, deps: ActionDeps): Promise<unknown> {
  const { id, args, form, key, settle } = call
  const headers: Record<string, string> = {
    [HEADERS.action]: id,
    [HEADERS.idempotencyKey]: key,
    [HEADERS.build]: deps.buildId,
    accept: 'application/json',
  }
  let body: string | FormData
  if (form) {
    body = new FormData()
    const plain = args.map((arg) => (arg === form ? { $portico: 'form' } : arg))
    body.append(FORM_FIELDS.args, JSON.stringify(plain))
    for (const [name, value] of form) if (!isProtocolField(name)) body.append(name, value)
  } else {
    headers['content-type'] = 'application/json'
    body = JSON.stringify({ args })
  }
  settle?.(false)
  let response: Response
  try {
    // A failed connection: the same key makes a second request safe (A5).
    response = await fetchWithRetries(
      () => fetch(deps.url, { method: 'POST', headers, body, credentials: 'same-origin' }),
      { repeats: { networkErrors: true } },
    )
  } catch (error) {
    if (!form) throw error
    return refuse(navigator.onLine ? UNREACHABLE_TEXT : OFFLINE_TEXT, call, deps)
  }
  deps.onResponse()
  const received = (await response.json().catch(() => undefined)) as unknown
  const result = parseActionResponse(received)
  const error = (received as Partial<ErrorBody> | null | undefined)?.error
  // A truncated body, or the response of a proxy between browser and site, is not the service's response.
  const isSettled = (result ?? error) !== undefined && !WITHOUT_RESULT.includes(response.status)
  settle?.(isSettled)
  if (result) return act(result, response.status, call, deps)
  return fail({ status: response.status, error, isSettled }, call, deps)
}

interface Failure {
  status: number
  error: ErrorBody['error'] | undefined
  isSettled: boolean
}

/** A failure that the user can correct or send again keeps the form; a fault of the site shows the error screen (E4). */
function fail({ status, error, isSettled }: Failure, call: Call, deps: ActionDeps): InvalidInput {
  if (error?.message && status !== 500) return refuse(error.message, call, deps)
  if (call.form && !isSettled) return refuse(UNREACHABLE_TEXT, call, deps)
  const digest = error?.digest
  throw Object.assign(new Error(`The action failed with status ${status}.`), digest && { digest })
}

async function act(result: ActionResponse, status: number, call: Call, deps: ActionDeps): Promise<unknown> {
  const { args, form } = call
  switch (result.kind) {
    case 'value':
      if (result.page) await deps.applyData(result.page)
      return result.value
    case 'redirect':
      deps.follow(result.location)
      return stateBefore(args)
    case 'done':
      // A repeat whose response is lost: the changes are in the page's data, or at the redirect's location.
      if (result.status >= 500) throw new Error(`The action failed with status ${result.status}.`)
      if (result.location === undefined) await deps.refresh()
      else deps.follow(result.location)
      return stateBefore(args)
    case 'not-found':
      await deps.applyData({ kind: 'not-found' })
      return undefined
    case 'refused':
      await deps.applyData({ kind: 'refused', status: status === 403 ? 403 : 401 })
      return stateBefore(args)
    case 'invalid':
      deps.onRefused(result.issues.map(({ message }) => message).join(' '))
      return { issues: result.issues, fields: typedFields(form ?? []) } satisfies InvalidInput
    case 'unknown-action':
      // The form keeps its fields, as after invalid input (A2).
      return refuse(OUTDATED_TEXT, call, deps)
    case 'unknown':
      return refuse('It is not known whether this was done: the response was lost. Reload the page to see.', call, deps)
  }
}

/** The current state of useActionState, which is the argument before the form. */
function stateBefore(args: unknown[]): unknown {
  return args.length > 1 ? args.at(-2) : undefined
}

function refuse(message: string, { args, form }: Call, deps: ActionDeps): InvalidInput {
  deps.onRefused(message)
  const refusal = { issues: [{ path: '', message }], fields: typedFields(form ?? []) }
  localRefusals.set(refusal, args)
  return refusal
}

/** 128 random bits; randomUUID is missing on plain http (W3). */
function createKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
