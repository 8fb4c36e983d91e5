// What a 'use server' function is outside the actions service: a reference that posts to the current page (A1), and
// that React can render into a form which works before hydration and without JavaScript ($$FORM_ACTION).

/** The functions of the side that runs the bundle: the browser sets `call`, the server `renderForm`. */
export interface ActionHost {
  /** Browser: posts the call. */
  call?: (call: ActionCall) => Promise<unknown>
  /** Server: the form's name and hidden fields; hydration keeps them as rendered. */
  renderForm?: (actionId: string, bound: unknown[], prefix: string) => FormAction
}

export interface ActionCall {
  id: string
  args: unknown[]
  /** The page shows the result as state (useActionState). */
  showsResult: boolean
  /** `repeat: 'allow'`: an equal click is another submission. */
  mayRepeat: boolean
}

export const actionHost: ActionHost = {}

export interface FormAction {
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
export function createActionReference(id: string, mayRepeat = false): ActionReference {
  return referenceWith(id, mayRepeat, [])
}

function referenceWith(id: string, mayRepeat: boolean, bound: unknown[]): ActionReference {
  const reference = ((...args: unknown[]) => {
    if (!actionHost.call)
      throw new Error('An action can be called in event handlers and forms, not while rendering on the server.')
    return actionHost.call({ id, args: [...bound, ...args], showsResult: args.length > 1, mayRepeat })
  }) as ActionReference
  // Only React's server side calls this, and the entry of its bundle sets renderForm.
  reference.$$FORM_ACTION = (prefix) => actionHost.renderForm!(id, bound, prefix)
  // React compares the posted form's action with the rendered action, to restore its state (useActionState).
  reference.$$IS_SIGNATURE_EQUAL = (postedId, boundCount) => postedId === id && boundCount === bound.length
  return Object.defineProperty(reference, 'bind', {
    value: (_receiver: unknown, ...args: unknown[]) => referenceWith(id, mayRepeat, [...bound, ...args]),
  })
}
