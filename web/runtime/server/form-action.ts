// An action as React renders it into a form: a name and hidden fields that work before hydration and without JavaScript
// (A1, W3).

import { FORM_FIELDS } from '@portico/shared/wire/constants.ts'
import type { FormAction } from '../react/action-reference.ts'
import { currentContextOrNone } from './request-context.ts'

/** Fields of one form. Bound arguments are signed, and an uncacheable page gives each form a submission key (A5). */
export function renderForm(actionId: string, bound: unknown[], prefix: string): FormAction {
  const context = currentContextOrNone()
  const data = new FormData()
  const key = context?.createSubmissionKey?.()
  if (key) data.append(FORM_FIELDS.idempotencyKey, key)
  const common = { method: 'POST', encType: 'multipart/form-data', data } as const
  if (bound.length === 0) return { ...common, name: FORM_FIELDS.actionId + actionId }
  if (!context?.signBound) throw new Error('A form with bound arguments can be rendered during a request only.')
  const signed = context.signBound(actionId, bound)
  data.append(`$ACTION_${prefix}:0`, JSON.stringify({ id: actionId, bound: signed }))
  return { ...common, name: FORM_FIELDS.actionRef + prefix }
}
