// What the gateway has decided about a request, as the header `portico-internal-route` carries it to the service that responds
// (W9): JSON in printable ASCII, which every program on the way reads alike.

import {
  INTERNAL_HEADERS,
  MIDDLEWARE_TARGET_LIMIT_BYTES,
  PASSED_QUESTION_LIMIT_BYTES,
  PASSED_ROUTE_LIMIT_BYTES,
} from './constants.ts'
import { asciiJson } from './json/ascii-json.ts'
import { isRecord, parseJson } from './json/json-value.ts'
import type { PassedQuestion } from './middleware/passed-question.ts'
import { isParams, type RouteParams } from './route-params.ts'
import type { Resolution } from './routing/resolve-page.ts'

/** Largest header: its three long members, and room for names and for the id of a build. */
const PASSED_LIMIT_BYTES =
  PASSED_ROUTE_LIMIT_BYTES + PASSED_QUESTION_LIMIT_BYTES + 2 * MIDDLEWARE_TARGET_LIMIT_BYTES + 512

/** What the header says. Each member is absent where the gateway does not know it, or where it does not apply. */
export interface PassedRoute {
  /** Version of the renderer for which the route was found (C2); absent: the renderer resolves the path itself. */
  version?: string
  /** In a site with locales. */
  locale?: string
  /** Absent with a version: no page has the path. */
  page?: {
    pattern: string
    params: RouteParams
    /** Path and query after rewriting, below basePath; absent where no rewrite applied. */
    target?: string
    /** Names in the query of the target whose values are lists. */
    lists?: readonly string[]
  }
  /**
   * From gateways of a site with middleware, and to the actions service: the build whose middleware has decided about the
   * request, or whose matchers do not fit the request (X15). The actions service receives requests of other services without it.
   */
  guard?: string
  /**
   * To the renderer: path and query below basePath to which middleware rewrites the request. The renderer finds the page of
   * this address, and the client's address is that of the request (X15). NO_TARGET: middleware called notFound(). To the
   * actions service: NO_TARGET where the gateway's build has no API handler at the address.
   */
  moved?: string
  /** To the renderer: run middleware before the page (X15, passed-question). parseQuestion checks the members. */
  question?: Readonly<Record<string, unknown>>
}

/** What the gateway decided besides the page. */
export type Decided = Pick<PassedRoute, 'guard' | 'moved'> & { question?: PassedQuestion | undefined }

interface Found {
  version: string
  resolution: Exclude<Resolution, { kind: 'malformed' }>
  /** Whether a rewrite led to the page. */
  isRewritten: boolean
}

/**
 * The text of the header; undefined where there is nothing to pass. A route that is longer than PASSED_ROUTE_LIMIT_BYTES is left
 * out, and so is the path of the screen of status 500: the renderer finds both itself.
 */
export function formatPassedRoute(found: Found | undefined, decided: Decided = {}): string | undefined {
  const route = found && routeOf(found)
  const whole = asciiJson(route ? { ...route, ...decided } : decided)
  // Few routes are long: the route alone is written only where its length is in question.
  const isTooLong = whole.length > PASSED_ROUTE_LIMIT_BYTES && asciiJson(route ?? {}).length > PASSED_ROUTE_LIMIT_BYTES
  const text = isTooLong ? asciiJson(decided) : whole
  return text === '{}' ? undefined : text
}

function routeOf({ version, resolution, isRewritten }: Found): PassedRoute | undefined {
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
  return route
}

/** Parses the header; undefined for a value of another shape. */
export function parsePassedRoute(text: string): PassedRoute | undefined {
  if (text.length > PASSED_LIMIT_BYTES) return undefined
  const value = parseJson(text)
  if (!isRecord(value)) return undefined
  const { version, locale, page, guard, moved, question } = value
  for (const each of [version, locale, guard, moved])
    if (each !== undefined && typeof each !== 'string') return undefined
  if (question !== undefined && !isRecord(question)) return undefined
  if (page !== undefined && !(version !== undefined && isPage(page))) return undefined
  // Casts: the types of all members were compared.
  return { version, locale, page, guard, moved, question } as PassedRoute
}

/**
 * Takes the header out of a request, because page code reads the headers of the client. Without the header nothing has been
 * decided; the gateway sends no value of another shape.
 */
export function takePassedRoute(headers: Record<string, string | string[] | undefined>): PassedRoute | 'malformed' {
  const text = headers[INTERNAL_HEADERS.route]
  delete headers[INTERNAL_HEADERS.route]
  return text === undefined ? {} : (parsePassedRoute(String(text)) ?? 'malformed')
}

function isPage(value: unknown): value is PassedRoute['page'] {
  if (!isRecord(value) || typeof value.pattern !== 'string' || !isParams(value.params)) return false
  const { target, lists } = value
  if (target === undefined) return lists === undefined
  return typeof target === 'string' && target.startsWith('/') && (lists === undefined || isTexts(lists))
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string')
}
