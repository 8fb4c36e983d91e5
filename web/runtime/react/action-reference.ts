// What a 'use server' function is outside the actions service: a reference that posts to the current page (A1), and
// that React can render into a form which works before hydration and without JavaScript ($$FORM_ACTION).

import { FORM_FIELDS } from '../../../services/shared/wire/constants.ts'

/** The side that runs the bundle fills in what it can do. */
export interface ActionHost {
  /** Browser: posts the call. `isHeard` when its result is a state that the page shows (useActionState). */
  call?: (actionId: string, args: unknown[], isHeard: boolean) => Promise<unknown>
  /** Server: signs bound arguments for a form's hidden field. */
  signBound?: (actionId: string, args: unknown[]) => string
  /** Server: a submission key for an uncacheable page; undefined in cacheable HTML (A5). */
  createSubmissionKey?: () => string | undefined
}

export const actionHost: ActionHost = {}

interface FormAction {
  name: string
  method: 'POST'
  encType: string
  data: FormData
}

export interface ActionReference {
  (...args: unknown[]): Promise<unknown>
  $$FORM_ACTION: (prefix: string) => FormAction
  $$IS_SIGNATURE_EQUAL: (id: string, boundCount: number) => boolean
}

/** Makes the reference that the build puts in place of an exported action. */
export function createActionReference(id: string): ActionReference {
  return referenceWith(id, [])
}

function referenceWith(id: string, bound: unknown[]): ActionReference {
  const reference = ((...args: unknown[]) => {
    if (!actionHost.call)
      throw new Error('An action can be called in event handlers and forms, not while rendering on the server.')
    return actionHost.call(id, [...bound, ...args], args.length > 1)
  }) as ActionReference
  reference.$$FORM_ACTION = (prefix) => formAction(id, bound, prefix)
  // React compares the posted form's action with the one it renders, to hand its state back (useActionState).
  reference.$$IS_SIGNATURE_EQUAL = (postedId, boundCount) => postedId === id && boundCount === bound.length
  return Object.defineProperty(reference, 'bind', {
    value: (_receiver: unknown, ...args: unknown[]) => referenceWith(id, [...bound, ...args]),
  })
}

function formAction(id: string, bound: unknown[], prefix: string): FormAction {
  const data = new FormData()
  const key = actionHost.createSubmissionKey?.()
  if (key) data.append(FORM_FIELDS.idempotencyKey, key)
  const common = { method: 'POST', encType: 'multipart/form-data', data } as const
  if (bound.length === 0) return { ...common, name: FORM_FIELDS.actionId + id }
  const signed = actionHost.signBound?.(id, bound)
  if (signed === undefined) throw new Error('Bound arguments of a form can be signed by the renderer only.')
  data.append(`$ACTION_${prefix}:0`, JSON.stringify({ id, bound: signed }))
  return { ...common, name: FORM_FIELDS.actionRef + prefix }
}
