// React's form-action protocol without JavaScript (A1, W3): finds the action that a form calls, its bound arguments,
// and the place of its state in the page.

import { ServiceError } from '@portico/shared/kit/http/errors.ts'
import type { BoundArgs } from '@portico/shared/kit/store/bound-args.ts'
import { FORM_FIELDS } from '@portico/shared/wire/constants.ts'
import { parseStrictJson } from './decode.ts'
import type { FormEntry } from './read-form.ts'

interface FormCall {
  id: string
  /** Bound arguments; with useActionState the last argument is the previous state. */
  bound: unknown[]
  /** Only for forms of useActionState. */
  state?: { key: string; boundCount: number }
  /** Idempotency key that was rendered into the form. */
  renderedKey?: string
}

/** The action id in one text field; used while the body still arrives. */
export function actionIdOfField(name: string, value: string): string | undefined {
  if (name.startsWith(FORM_FIELDS.actionId)) return name.slice(FORM_FIELDS.actionId.length)
  if (!/^\$ACTION_.{0,180}:0$/.test(name)) return undefined
  try {
    return parseReference(value).id
  } catch {
    // parseFormCall reports the fault when the whole form has arrived.
    return undefined
  }
}

/**
 * Reads the action that a form calls; undefined if the form calls no action. A form with several submit buttons
 * contains several names: the last name wins, as in React, because the field of the pressed button follows the form's
 * own field.
 */
export function parseFormCall(entries: readonly FormEntry[], boundArgs: BoundArgs): FormCall | undefined {
  const texts = new Map<string, string>()
  let target: { kind: 'id'; id: string } | { kind: 'ref'; name: string } | undefined
  for (const { name, value } of entries) {
    if (typeof value !== 'string' || !name.startsWith('$')) continue
    texts.set(name, value)
    if (name.startsWith(FORM_FIELDS.actionRef)) target = { kind: 'ref', name: name.slice(FORM_FIELDS.actionRef.length) }
    else if (name.startsWith(FORM_FIELDS.actionId)) target = { kind: 'id', id: name.slice(FORM_FIELDS.actionId.length) }
  }
  if (!target) return undefined
  const renderedKey = texts.get(FORM_FIELDS.idempotencyKey)
  const rendered = renderedKey ? { renderedKey } : {}
  if (target.kind === 'id') return { id: target.id, bound: [], ...rendered }
  const { id, signed } = parseReference(texts.get(`$ACTION_${target.name}:0`))
  const bound = boundArgs.verify(id, signed)
  if (!bound) throw badReference('its bound arguments were not signed by this site')
  const key = texts.get(FORM_FIELDS.actionKey)
  // The state is the innermost bound argument: useActionState binds it last.
  const state = key && bound.length > 0 ? { state: { key, boundCount: bound.length - 1 } } : {}
  return { id, bound, ...state, ...rendered }
}

function parseReference(text: string | undefined): { id: string; signed: string } {
  if (text === undefined) throw badReference('its action reference is missing')
  const value = parseStrictJson(text)
  const { id, bound } = (value ?? {}) as { id?: unknown; bound?: unknown }
  if (typeof id !== 'string' || typeof bound !== 'string') throw badReference('its action reference is malformed')
  return { id, signed: bound }
}

function badReference(reason: string): ServiceError {
  return new ServiceError('bad-request', { text: `The form was refused: ${reason}.` })
}
