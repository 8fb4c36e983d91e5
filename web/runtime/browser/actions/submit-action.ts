// Posts an action call to the current page (W3) and acts on its answer (W4). Loaded at first use.

import { type ActionResponse, parseActionResponse } from '@portico/shared/wire/action-wire.ts'
import type { InvalidInput } from '@portico/shared/wire/bundles.ts'
import { FORM_FIELDS, HEADERS, isProtocolField } from '@portico/shared/wire/constants.ts'
import type { ErrorBody, PageData } from '@portico/shared/wire/page-data.ts'
import { fetchWithRetries } from '@portico/shared/wire/retry.ts'
import { typedFields } from '@portico/shared/wire/typed-fields.ts'
import { describeForm, OFFLINE_TEXT, OUTDATED_TEXT, UNREACHABLE_TEXT } from './submit-action-forms.ts'

export interface ActionDeps {
  buildId: string
  /** Path and query of the page that asks: another one may be shown by now. */
  url: string
  applyData: (data: PageData) => Promise<void>
  /** Requests the data of the shown page again. */
  refresh: () => Promise<void>
  follow: (location: string) => void
  showNotFound: () => void
  /** Whatever was prefetched may be out of date now (P4). */
  onAnswer: () => void
  /** The form must keep what was typed; the message is for visitors of pages that have no place for it. */
  onRefused: (message: string) => void
}

/** Calls under way by what they say: a second click of the same form joins the first. */
const underWay = new Map<string, Promise<unknown>>()
/** Keys of forms that were sent and not answered: sent again, they are the same submission (A5). Oldest first. */
const unanswered = new Map<string, string>()
const MOST_UNANSWERED = 20
/** What a gateway says when it has no answer, and a service that is away or still at work. */
const WITHOUT_ANSWER: readonly number[] = [502, 503, 504]

/** What was said in the service's place, with the arguments of the call that it was said to. */
const ownWords = new WeakMap<object, unknown[]>()

export function submitAction(id: string, given: unknown[], deps: ActionDeps): Promise<unknown> {
  // As a state (useActionState) own words would make the same form another submission: the state before stands.
  const args = given.map((arg, index) => (ownWords.get(Object(arg)) ?? given)[index])
  const form = args.findLast((arg) => arg instanceof FormData)
  if (!form) return send({ id, args, key: createKey() }, deps)
  // Bound arguments are what tells the forms of a list apart: their fields may all be the same, or none.
  const identity = `${id} ${JSON.stringify(args.filter((arg) => arg !== form))} ${describeForm(form)}`
  const joined = underWay.get(identity)
  if (joined) return joined
  const key = unanswered.get(identity) ?? createKey()
  const settle = (isAnswered: boolean) => {
    unanswered.delete(identity)
    if (!isAnswered) unanswered.set(identity, key)
    if (unanswered.size > MOST_UNANSWERED) unanswered.delete(unanswered.keys().next().value!)
  }
  const call = send({ id, args, form, key, settle }, deps).finally(() => underWay.delete(identity))
  underWay.set(identity, call)
  return call
}

interface Call {
  id: string
  args: unknown[]
  key: string
  form?: FormData
  /** Told whether the service has said what became of it. */
  settle?: (isAnswered: boolean) => void
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
  deps.onAnswer()
  const received = (await response.json().catch(() => undefined)) as unknown
  const answer = parseActionResponse(received)
  const error = (received as Partial<ErrorBody> | null | undefined)?.error
  // An answer that was cut short, and what somebody on the way said in the site's place, are none.
  const isAnswered = (answer ?? error) !== undefined && !WITHOUT_ANSWER.includes(response.status)
  settle?.(isAnswered)
  if (answer) return act(answer, call, deps)
  return fail(response.status, error, isAnswered, call, deps)
}

/** What the visitor can mend or send again keeps the form; a fault of the site is the error screen's, with its digest (E4). */
function fail(
  status: number,
  error: ErrorBody['error'] | undefined,
  isAnswered: boolean,
  call: Call,
  deps: ActionDeps,
): InvalidInput {
  if (error?.message && status !== 500) return refuse(error.message, call, deps)
  if (call.form && !isAnswered) return refuse(UNREACHABLE_TEXT, call, deps)
  const digest = error?.digest
  throw Object.assign(new Error(`The action failed with status ${status}.`), digest && { digest })
}

async function act(answer: ActionResponse, call: Call, deps: ActionDeps): Promise<unknown> {
  const { args, form } = call
  switch (answer.kind) {
    case 'value':
      if (answer.page) await deps.applyData(answer.page)
      return answer.value
    case 'redirect':
      deps.follow(answer.location)
      return stateBefore(args)
    case 'done':
      // A repeat whose response is gone: what the action changed is in the page's data, or where it led to.
      if (answer.status >= 500) throw new Error(`The action failed with status ${answer.status}.`)
      if (answer.location === undefined) await deps.refresh()
      else deps.follow(answer.location)
      return stateBefore(args)
    case 'not-found':
      deps.showNotFound()
      return undefined
    case 'invalid':
      deps.onRefused(answer.issues.map(({ message }) => message).join(' '))
      return { issues: answer.issues, fields: typedFields(form ?? []) } satisfies InvalidInput
    case 'unknown-action':
      // The form keeps what was typed: to its author this is one more reason why the input was not taken (A2).
      return refuse(OUTDATED_TEXT, call, deps)
    case 'unknown':
      return refuse('It is not known whether this was done: the answer was lost. Reload the page to see.', call, deps)
  }
}

/** With useActionState the state stays as it was: it is the argument before the form. */
function stateBefore(args: unknown[]): unknown {
  return args.length > 1 ? args.at(-2) : undefined
}

function refuse(message: string, { args, form }: Call, deps: ActionDeps): InvalidInput {
  deps.onRefused(message)
  const refusal = { issues: [{ path: '', message }], fields: typedFields(form ?? []) }
  ownWords.set(refusal, args)
  return refusal
}

/** 128 random bits; randomUUID is missing on plain http (W3). */
function createKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
