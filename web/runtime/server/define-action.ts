// defineAction(), revalidatePath() and revalidateTag() of portico/server.

import {
  ACTION_OPTIONS,
  type ActionOptions,
  type InputSchema,
  type InvalidInput,
} from '../../../services/shared/wire/bundles.ts'
import { currentContext } from './request-context.ts'

/** The output type of any Standard Schema. */
type SchemaOutput<Schema> = Schema extends { '~standard': { types?: infer Types } }
  ? NonNullable<Types> extends { output: infer Output }
    ? Output
    : Record<string, unknown>
  : Record<string, unknown>

type Given<Input> = Input | FormData

/** Fits `<form action>`, `useActionState` and a plain call alike. */
export interface Action<Input, Result> {
  (input: Given<Input>): Promise<Result>
  (previous: Result | InvalidInput | undefined, input: Given<Input>): Promise<Result | InvalidInput>
}

interface DefineOptions<Schema extends InputSchema> extends Omit<ActionOptions, 'input'> {
  input?: Schema
}

/**
 * Declares an action's input schema and limits. The handler gets the validated input; an input that the schema refuses
 * never reaches it, and `useActionState` receives `{ issues, fields }` (InvalidInput) instead.
 */
export function defineAction<Schema extends InputSchema, Result>(
  options: DefineOptions<Schema>,
  handler: (
    input: SchemaOutput<Schema>,
    context: { previous: Awaited<Result> | InvalidInput | undefined },
  ) => Result | Promise<Result>,
): Action<SchemaOutput<Schema>, Awaited<Result>> {
  // Only the actions service calls it, as (input, { previous }); what components hold is the reference that the build
  // puts in its place, and Action is that reference's type.
  const action = (input: unknown, context: unknown) =>
    handler(input as SchemaOutput<Schema>, context as { previous: undefined })
  return Object.defineProperty(action, ACTION_OPTIONS, { value: options }) as unknown as Action<
    SchemaOutput<Schema>,
    Awaited<Result>
  >
}

/** Marks a page (path as visitors see it, without basePath) as out of date, on every renderer. */
export async function revalidatePath(path: string): Promise<void> {
  if (!path.startsWith('/')) throw new Error(`revalidatePath("${path}"): the path must begin with "/"`)
  collector('revalidatePath').paths.add(path)
}

/** Marks every page that getStaticProps tagged so as out of date, on every renderer. */
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
