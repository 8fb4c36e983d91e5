// defineAction(), revalidatePath() and revalidateTag() of portico/server.

import {
  ACTION_OPTIONS,
  type ActionOptions,
  type InputSchema,
  type InvalidInput,
} from '@portico/shared/wire/bundles.ts'
import { isTimeout, TIMEOUT_RULE } from '@portico/shared/wire/routing/api-config.ts'
import { currentContext } from './request-context.ts'

/** What a Standard Schema takes or returns (its `types`, which no schema has at run time); without types any object. */
export type SchemaType<
  Schema extends InputSchema,
  Side extends 'input' | 'output',
  WithoutTypes = Record<string, unknown>,
> = Schema extends { '~standard': { types?: infer Types } }
  ? NonNullable<Types> extends Record<Side, infer Type>
    ? Type
    : WithoutTypes
  : WithoutTypes

type Given<Input> = Input | FormData

/**
 * An action for `<form action>`, for `useActionState` and for plain calls. `Input` is what the schema takes: callers
 * pass values as they are before the schema coerces and transforms them. A plain call returns what the handler does, or
 * why the input was refused, or nothing: after a redirect, and where another page is shown.
 */
export interface Action<Input, Result> {
  (input: Given<Input>): Promise<Result | InvalidInput | undefined>
  /** As the action of a form, which drops the result: a call has the signature before. */
  (form: FormData): Promise<void>
  (previous: Result | InvalidInput | undefined, input: Given<Input>): Promise<Result | InvalidInput>
}

interface DefineOptions<Schema extends InputSchema> extends Omit<ActionOptions, 'input'> {
  input?: Schema
}

/**
 * Declares the input schema (any Standard Schema) and the limits of an action. Callers pass what the schema takes, or a
 * form; the handler receives what the schema returns. Input that the schema rejects never reaches the handler:
 * `useActionState` receives `{ issues, fields }` (InvalidInput). Limits: 1 MiB of body and 30 s unless the options set
 * others; `timeoutMs` is 60 000 at most.
 *
 * @example
 * ```ts
 * // actions/rename.ts
 * 'use server'
 * import { defineAction, revalidatePath } from 'portico/server'
 *
 * export const rename = defineAction({ bodyLimitBytes: 16_384, timeoutMs: 5000 }, async ({ name }) => {
 *   if (typeof name !== 'string' || name === '') return { error: 'A name is required.' }
 *   await revalidatePath('/about')
 *   return { name }
 * })
 * ```
 *
 * Equal clicks on a form count once while the first click is running. With `repeat: 'allow'` each click is a submission
 * of its own, and a resend of one click still runs once. Write the option as a literal: the build reads it.
 *
 * @example
 * ```ts
 * // actions/applaud.ts
 * 'use server'
 * import { defineAction, revalidatePath } from 'portico/server'
 *
 * let claps = 0
 * export const applaud = defineAction({ repeat: 'allow' }, async () => {
 *   claps += 1
 *   await revalidatePath('/')
 *   return { claps }
 * })
 * ```
 */
export function defineAction<Schema extends InputSchema, Result>(
  options: DefineOptions<Schema>,
  handler: (
    input: SchemaType<Schema, 'output'>,
    context: { previous: Awaited<Result> | InvalidInput | undefined },
  ) => Result | Promise<Result>,
): Action<SchemaType<Schema, 'input'>, Awaited<Result>> {
  const { timeoutMs } = options
  if (timeoutMs !== undefined && !isTimeout(timeoutMs))
    throw new TypeError(`defineAction: timeoutMs=${timeoutMs} is not allowed; it ${TIMEOUT_RULE}`)
  // Only the actions service calls it, as (input, { previous }). Components import a reference, by which the build
  // replaces the action; Action is the type of the reference.
  const action = (input: unknown, context: unknown) =>
    handler(input as SchemaType<Schema, 'output'>, context as { previous: undefined })
  return Object.defineProperty(action, ACTION_OPTIONS, { value: options }) as unknown as Action<
    SchemaType<Schema, 'input'>,
    Awaited<Result>
  >
}

/**
 * Marks the page at a path as out of date on every renderer. The path is that of the address bar, without basePath. The
 * response is sent after all renderers have dropped the page. Throws outside of actions and API handlers, and for a
 * path without a leading `/`.
 *
 * @example
 * ```ts
 * // pages/api/publish.ts
 * import type { ApiHandler } from 'portico'
 * import { revalidatePath } from 'portico/server'
 *
 * const handler: ApiHandler = async (_request, response) => {
 *   await revalidatePath('/about')
 *   response.status(204).end()
 * }
 * export default handler
 * ```
 */
export async function revalidatePath(path: string): Promise<void> {
  if (!path.startsWith('/')) throw new Error(`revalidatePath("${path}"): the path must begin with "/"`)
  collector('revalidatePath').paths.add(path)
}

/**
 * Marks every page whose `getStaticProps` returned this tag as out of date on every renderer. Throws outside of actions
 * and API handlers, and for an empty tag.
 *
 * @example
 * ```ts
 * // actions/save-price.ts
 * 'use server'
 * import { revalidateTag } from 'portico/server'
 *
 * export async function savePrice(form: FormData) {
 *   console.log('saved', form.get('price'))
 *   await revalidateTag('prices')
 * }
 * ```
 */
export async function revalidateTag(tag: string): Promise<void> {
  if (tag === '') throw new Error('revalidateTag(""): the tag must not be empty')
  collector('revalidateTag').tags.add(tag)
}

function collector(caller: string) {
  const context = currentContext(caller)
  if (!context.revalidations)
    throw new Error(`${caller} can be called in actions and API handlers only; this is ${context.name}.`)
  return context.revalidations
}
