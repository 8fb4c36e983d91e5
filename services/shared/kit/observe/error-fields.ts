// The members of an error that a log line may contain. Members that libraries add to their errors are omitted.

import { explainNativeFault } from '../../wire/errors/native-fault.ts'

/** Errors per line: the error, its causes and the members of an AggregateError. */
const MAX_ERRORS = 8
/** Members besides type, message, stack, cause and aggregated errors; kept if they are strings or numbers. */
const PLAIN_MEMBERS = ['code', 'errno', 'syscall', 'address', 'port', 'status', 'digest'] as const

/**
 * The log's serialiser of errors. A value that is neither an error nor a string is described by its type. `mapStack` changes
 * positions in stacks.
 * SECURITY: an ioredis error contains the arguments of its command: passwords, responses and Set-Cookie values.
 */
export function errorFields(value: unknown, mapStack: (stack: string) => string = (stack) => stack): unknown {
  const fields = describe(value, { remaining: MAX_ERRORS, mapStack })
  const remedy = nativeRemedy(value)
  return remedy === undefined ? fields : { ...(fields as object), remedy }
}

/** What helps against the error of a native package also where other errors contain it as their cause. */
function nativeRemedy(value: unknown, depth = 0): string | undefined {
  if (!(value instanceof Error) || depth === MAX_ERRORS) return undefined
  return explainNativeFault(`${value.message}\n${value.stack}`, process) ?? nativeRemedy(value.cause, depth + 1)
}

interface Description {
  /** Errors that the line has room for. */
  remaining: number
  mapStack: (stack: string) => string
}

function describe(value: unknown, line: Description): unknown {
  if (typeof value === 'string') return withoutArguments(value)
  if (typeof value !== 'object' || value === null) return value
  if (line.remaining-- === 0) return undefined
  const error = value as Partial<Record<string, unknown>>
  const fields: Record<string, unknown> = { type: typeName(value) }
  if (typeof error.message === 'string') fields.message = withoutArguments(error.message)
  if (typeof error.stack === 'string') fields.stack = withoutArguments(line.mapStack(error.stack))
  for (const name of PLAIN_MEMBERS) {
    const member = error[name]
    if (typeof member === 'string' || typeof member === 'number') fields[name] = member
  }
  const command = commandName(error.command)
  if (command !== undefined) fields.command = command
  if (error.cause !== undefined) fields.cause = describe(error.cause, line)
  if (Array.isArray(error.errors))
    fields.aggregateErrors = error.errors.slice(0, MAX_ERRORS).map((one) => describe(one, line))
  return fields
}

function typeName(value: object): string {
  const name = (value.constructor as { name?: unknown } | undefined)?.name
  return typeof name === 'string' && name !== '' ? name : 'Object'
}

/** ioredis: the name of the failed command. */
function commandName(command: unknown): string | undefined {
  const name = (command as { name?: unknown } | null | undefined)?.name
  return typeof name === 'string' ? name : undefined
}

/** SECURITY: for an unknown command the error of Redis contains the arguments of that command. */
export function withoutArguments(text: string): string {
  return text.replace(/, with args beginning with:.*/g, '')
}
