// The gateway's resolution of a request as the header `portico-internal-route` carries it to the renderer (W9): JSON in
// printable ASCII, which every program on the way reads alike.

import { PASSED_ROUTE_LIMIT_BYTES } from '../constants.ts'
import { asciiJson } from '../json/ascii-json.ts'
import { isRecord, parseJson } from '../json/json-value.ts'
import { isParams } from '../page-data.ts'
import type { Resolution } from './resolve-page.ts'
import type { RouteParams } from './routes.ts'

interface PassedRoute {
  /** Version of the renderer for which the route was found (C2). */
  version: string
  /** In a site with locales. */
  locale?: string
  /** Absent: no page has the path. */
  page?: {
    pattern: string
    params: RouteParams
    /** Path and query after rewriting, below basePath; absent where no rewrite applied. */
    target?: string
    /** Names in the query of the target whose values are lists. */
    lists?: readonly string[]
  }
}

interface Passed {
  version: string
  resolution: Exclude<Resolution, { kind: 'malformed' }>
  /** Whether a rewrite led to the page. */
  isRewritten: boolean
}

/**
 * The text of the header; undefined for a route that is longer than PASSED_ROUTE_LIMIT_BYTES, and for the path of the screen
 * of status 500: the renderer finds both itself.
 */
export function formatPassedRoute({ version, resolution, isRewritten }: Passed): string | undefined {
  if (resolution.kind === 'no-match' && resolution.isFailure) return undefined
  const { locale } = resolution
  const route: PassedRoute = { version, ...(locale !== undefined && { locale }) }
  if (resolution.kind === 'page') {
    const { entry, params, pathname, search, lists } = resolution
    route.page = {
      pattern: entry.pattern,
      params,
      ...(isRewritten && { target: pathname + search, ...(lists && { lists }) }),
    }
  }
  const text = asciiJson(route)
  return text.length > PASSED_ROUTE_LIMIT_BYTES ? undefined : text
}

/** Parses the header; undefined for a value of another shape. */
export function parsePassedRoute(text: string): PassedRoute | undefined {
  if (text.length > PASSED_ROUTE_LIMIT_BYTES) return undefined
  const value = parseJson(text)
  if (!isRecord(value) || typeof value.version !== 'string') return undefined
  const { page, locale } = value
  if (locale !== undefined && typeof locale !== 'string') return undefined
  const known = { version: value.version, ...(locale !== undefined && { locale }) }
  if (page === undefined) return known
  if (!isRecord(page) || typeof page.pattern !== 'string' || !isParams(page.params)) return undefined
  const { pattern, params, target, lists } = page
  if (target === undefined) return { ...known, page: { pattern, params } }
  if (typeof target !== 'string' || !target.startsWith('/')) return undefined
  if (lists === undefined) return { ...known, page: { pattern, params, target } }
  return isTexts(lists) ? { ...known, page: { pattern, params, target, lists } } : undefined
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string')
}
