// Posts an action call to the current page (W3) and acts on its answer (W4). Loaded at first use.

import { type ActionAnswer, parseActionAnswer } from '../../../services/shared/wire/action-wire.ts'
import type { InvalidInput } from '../../../services/shared/wire/bundles.ts'
import { FORM_FIELDS, HEADERS, RETRY_PAUSES_MS } from '../../../services/shared/wire/constants.ts'
import type { ErrorBody, PageData } from '../../../services/shared/wire/page-data.ts'

export interface ActionDeps {
  buildId: string
  applyData: (data: PageData) => Promise<void>
  follow: (location: string) => void
  showNotFound: () => void
  /** Whatever was prefetched may be out of date now (P4). */
  onAnswer: () => void
}

/** Calls under way by what they say: a second click of the same form joins the first. */
const underWay = new Map<string, Promise<unknown>>()

export function submitAction(id: string, args: unknown[], deps: ActionDeps): Promise<unknown> {
  const form = args.findLast((arg) => arg instanceof FormData)
  // Bound arguments are what tells the forms of a list apart: their fields may all be the same, or none.
  const identity = form ? `${id} ${JSON.stringify(args.filter((arg) => arg !== form))} ${describe(form)}` : undefined
  const joined = identity ? underWay.get(identity) : undefined
  if (joined) return joined
  const call = send(id, args, form, deps).finally(() => identity && underWay.delete(identity))
  if (identity) underWay.set(identity, call)
  return call
}

async function send(id: string, args: unknown[], form: FormData | undefined, deps: ActionDeps): Promise<unknown> {
  const headers: Record<string, string> = {
    [HEADERS.action]: id,
    [HEADERS.idempotencyKey]: createKey(),
    [HEADERS.build]: deps.buildId,
    accept: 'application/json',
  }
  let body: string | FormData
  if (form) {
    body = new FormData()
    const plain = args.map((arg) => (arg === form ? { $portico: 'form' } : arg))
    body.append(FORM_FIELDS.args, JSON.stringify(plain))
    for (const [name, value] of form)
      if (!name.startsWith('$ACTION') && !name.startsWith('$portico')) body.append(name, value)
  } else {
    headers['content-type'] = 'application/json'
    body = JSON.stringify({ args })
  }
  const response = await post(location.pathname + location.search, {
    method: 'POST',
    headers,
    body,
    credentials: 'same-origin',
  })
  deps.onAnswer()
  const received = (await response.json().catch(() => undefined)) as unknown
  const answer = parseActionAnswer(received)
  if (answer) return act(answer, args, form, deps)
  return fail(response.status, (received as Partial<ErrorBody> | undefined)?.error, form)
}

/** What the visitor can mend or send again keeps the form; a fault of the site is the error screen's, with its digest (E4). */
function fail(status: number, error: ErrorBody['error'] | undefined, form: FormData | undefined): InvalidInput {
  if (error?.message && status !== 500) return refusal(error.message, form)
  const digest = error?.digest
  throw Object.assign(new Error(`The action failed with status ${status}.`), digest && { digest })
}

/** The network failed, not the server: the same key makes sending again safe (A5). */
async function post(url: string, init: RequestInit): Promise<Response> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await fetch(url, init)
    } catch (error) {
      const pause = RETRY_PAUSES_MS[attempt]
      if (pause === undefined) throw error
      await new Promise((done) => setTimeout(done, pause))
    }
  }
}

async function act(
  answer: ActionAnswer,
  args: unknown[],
  form: FormData | undefined,
  deps: ActionDeps,
): Promise<unknown> {
  switch (answer.kind) {
    case 'value':
      if (answer.page) await deps.applyData(answer.page)
      return answer.value
    case 'redirect':
      deps.follow(answer.location)
      return args.length > 1 ? args[0] : undefined
    case 'not-found':
      deps.showNotFound()
      return undefined
    case 'invalid':
      return { issues: answer.issues, fields: typedFields(form) } satisfies InvalidInput
    case 'unknown-action':
      // The form keeps what was typed: to its author this is one more reason why the input was not taken (A2).
      return refusal('This page is out of date. Copy what you typed, reload the page and send it again.', form)
    case 'unknown':
      return refusal('It is not known whether this was done: the answer was lost. Reload the page to see.', form)
  }
}

function refusal(message: string, form: FormData | undefined): InvalidInput {
  return { issues: [{ path: '', message }], fields: typedFields(form) }
}

function typedFields(form: FormData | undefined): InvalidInput['fields'] {
  const fields: InvalidInput['fields'] = {}
  for (const name of new Set(form?.keys())) {
    if (name.startsWith('$')) continue
    const values = form!.getAll(name).filter((value) => typeof value === 'string')
    if (values.length > 0) fields[name] = values.length === 1 ? values[0]! : values
  }
  return fields
}

function describe(form: FormData): string {
  return JSON.stringify(
    [...form].map(([name, value]) => [
      name,
      typeof value === 'string' ? value : [value.name, value.size, value.lastModified],
    ]),
  )
}

/** 128 random bits; randomUUID is missing on plain http (W3). */
function createKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
