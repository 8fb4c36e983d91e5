// What a log line may hold of an error: the members listed here, so that nothing else that a library adds to its errors
// reaches the log.

/** Errors of one line: the error, its causes and the members of an AggregateError. */
const MOST_ERRORS = 8
/** Members besides type, message, stack, cause and aggregated errors; kept where they are text or numbers. */
const PLAIN_MEMBERS = ['code', 'errno', 'syscall', 'address', 'port', 'status', 'digest'] as const

/**
 * The log's serialiser of errors. What is not an error and not plain text is described by its type.
 * SECURITY: an ioredis error holds the arguments of its command, which are passwords, responses and Set-Cookie values.
 */
export function errorFields(value: unknown): unknown {
  const counter = { left: MOST_ERRORS }
  return describe(value, counter)
}

function describe(value: unknown, counter: { left: number }): unknown {
  if (typeof value === 'string') return withoutArguments(value)
  if (typeof value !== 'object' || value === null) return value
  if (counter.left-- === 0) return undefined
  const error = value as Partial<Record<string, unknown>>
  const fields: Record<string, unknown> = { type: typeName(value) }
  if (typeof error.message === 'string') fields.message = withoutArguments(error.message)
  if (typeof error.stack === 'string') fields.stack = withoutArguments(error.stack)
  for (const name of PLAIN_MEMBERS) {
    const member = error[name]
    if (typeof member === 'string' || typeof member === 'number') fields[name] = member
  }
  const command = commandName(error.command)
  if (command !== undefined) fields.command = command
  if (error.cause !== undefined) fields.cause = describe(error.cause, counter)
  if (Array.isArray(error.errors))
    fields.aggregateErrors = error.errors.slice(0, MOST_ERRORS).map((one) => describe(one, counter))
  return fields
}

function typeName(value: object): string {
  const name = (value.constructor as { name?: unknown } | undefined)?.name
  return typeof name === 'string' && name !== '' ? name : 'Object'
}

/** ioredis: the name of the command that failed. */
function commandName(command: unknown): string | undefined {
  const name = (command as { name?: unknown } | null | undefined)?.name
  return typeof name === 'string' ? name : undefined
}

/** SECURITY: Redis repeats the arguments of a command that it does not know in the text of its error. */
export function withoutArguments(text: string): string {
  return text.replace(/, with args beginning with:.*/g, '')
}
