// The parameters of a route: what a path has in place of the segments in brackets.

import { isRecord } from './json/json-value.ts'

/** A catch-all segment has a list. */
export type RouteParams = Record<string, string | string[]>

/** Whether a value has the shape of route params. */
export function isParams(value: unknown): value is RouteParams {
  const isText = (item: unknown) => typeof item === 'string'
  return (
    isRecord(value) && Object.values(value).every((item) => (Array.isArray(item) ? item.every(isText) : isText(item)))
  )
}
