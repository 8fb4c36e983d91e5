// Parses text and form entries to the values that handlers get (A3): only JSON values, plain objects and files.

import { ServiceError } from '@portico/shared/kit/http/errors.ts'
import { isProtocolField } from '@portico/shared/wire/constants.ts'

import { MAX_DEPTH, MAX_NAME_LENGTH } from './limits.ts'
import type { FormEntry } from './read-form.ts'

type FormValue = string | File
type FormObject = Record<string, FormValue | FormValue[]>

// SECURITY: names that reach the prototype of an object when a handler copies its input key by key (prototype
// pollution).
const REFUSED_NAMES: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype'])

/** Parses JSON. Throws a ServiceError (400) that names the path of a refused key or the depth. */
export function parseStrictJson(text: string): unknown {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    throw new ServiceError('bad-request', { text: 'The body is not JSON.', cause })
  }
  checkValue(value, '', 0)
  return value
}

function checkValue(value: unknown, path: string, depth: number): void {
  if (typeof value !== 'object' || value === null) return
  if (depth >= MAX_DEPTH)
    throw new ServiceError('bad-request', { text: `The body is nested deeper than ${MAX_DEPTH} levels.` })
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) checkValue(item, `${path}.${index}`, depth + 1)
    return
  }
  for (const [key, item] of Object.entries(value)) {
    const keyPath = path === '' ? key : `${path}.${key}`
    checkFieldName(key, keyPath)
    checkValue(item, keyPath, depth + 1)
  }
}

function checkFieldName(name: string, path: string): void {
  if (REFUSED_NAMES.has(name))
    throw new ServiceError('bad-request', { text: `The field "${path.replace(/^\./, '')}" is not allowed.` })
  if (name.length > MAX_NAME_LENGTH)
    throw new ServiceError('bad-request', { text: `A field name is longer than ${MAX_NAME_LENGTH} characters.` })
}

/** A single value remains a string or file, repeated values become a list. Protocol fields are removed. */
export function formToObject(entries: readonly FormEntry[]): FormObject {
  const object: FormObject = {}
  for (const { name, value } of entries) {
    if (isProtocolField(name)) continue
    checkFieldName(name, name)
    // Only own members count: names like `toString` exist on the prototype.
    const before = Object.hasOwn(object, name) ? object[name] : undefined
    if (before === undefined) object[name] = value
    else if (Array.isArray(before)) before.push(value)
    else object[name] = [before, value]
  }
  return object
}

/** Reads the `$args` part of a scripted form: a JSON list in which `{"$portico":"form"}` is replaced by the form. */
export function parseFormArgs(text: string, form: FormObject): unknown[] {
  const args = parseStrictJson(text)
  if (!Array.isArray(args)) throw new ServiceError('bad-request', { text: 'The part "$args" must be a JSON list.' })
  return args.map((arg: unknown) => (isFormPlace(arg) ? form : arg))
}

function isFormPlace(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const keys = Object.keys(value)
  return keys.length === 1 && (value as { $portico?: unknown }).$portico === 'form'
}
