// Actions that can be called and rendered: in a build the actions bundle has the function, and the server bundle has the
// reference that React renders into a form.

import { createActionReference } from '../react/action-reference.ts'

/** Gives an action the members of its reference. */
export function renderAsForm(action: unknown, id: string, mayRepeat: boolean): void {
  if (typeof action !== 'function') return
  const { $$FORM_ACTION, $$IS_SIGNATURE_EQUAL, bind } = createActionReference(id, mayRepeat)
  for (const [name, value] of Object.entries({ $$FORM_ACTION, $$IS_SIGNATURE_EQUAL, bind }))
    Object.defineProperty(action, name, { value, configurable: true })
}
