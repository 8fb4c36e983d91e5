// The gateway's resolution of a request as the header `portico-internal-route` carries it to the renderer (W9): JSON in
// printable ASCII, which every program on the way reads alike.

import { PASSED_ROUTE_LIMIT_BYTES } from '../constants.ts'
import { isRecord, parseJson } from '../json/json-value.ts'
import { isParams } from '../page-data.ts'
import type { Resolution } from './resolve-page.ts'
import type { RouteParams } from './routes.ts'

export interface PassedRoute {
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
  }
}

export interface Passed {
  version: string
  resolution: Exclude<Resolution, { kind: 'malformed' }>
  /** Whether a rewrite led to the page. */
  isRewritten: boolean
}

/** The text of the header; undefined for a route that is longer than PASSED_ROUTE_LIMIT_BYTES. */
export function formatPassedRoute({ version, resolution, isRewritten }: Passed): string | undefined {
  const { locale } = resolution
  const route: PassedRoute = { version, ...(locale !== undefined && { locale }) }
  if (resolution.kind === 'page') {
    const { entry, params, pathname, search } = resolution
    route.page = { pattern: entry.pattern, params, ...(isRewritten && { target: pathname + search }) }
  }
  const text = escapeNonAscii(JSON.stringify(route))
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
  const { pattern, params, target } = page
  if (target === undefined) return { ...known, page: { pattern, params } }
  return typeof target === 'string' && target.startsWith('/')
    ? { ...known, page: { pattern, params, target } }
    : undefined
}

/** JSON.stringify escapes the other control characters itself. */
function escapeNonAscii(json: string): string {
  return json.replace(/[\u007f-\uffff]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
