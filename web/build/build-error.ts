// Errors that the author of an app folder must fix. Their messages name the file, the value and the rule.

import { RouteConflictError } from '@portico/shared/wire/routing/route-conflicts.ts'

/** A fault of the author; the message is printed without a stack. */
export class BuildError extends Error {
  override name = 'BuildError'
}

/** Whether the author must fix the error; every other error is a fault of the framework. */
export function isAuthorError(error: unknown): error is Error {
  return error instanceof BuildError || error instanceof RouteConflictError
}

/** The code of a Node error, such as `ENOENT`. */
export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}
