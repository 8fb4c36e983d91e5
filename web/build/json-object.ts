// JSON objects that authors write.

import { isRecord } from '@portico/shared/wire/json/json-value.ts'
import { BuildError } from './build-error.ts'

/** Parses a JSON file. Throws BuildError that names the file unless the JSON is an object. */
export function parseJsonObject(text: string, file: string): Record<string, unknown> {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    throw new BuildError(`${file}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause })
  }
  if (isRecord(value)) return value
  throw new BuildError(`${file}: must contain a JSON object`)
}
