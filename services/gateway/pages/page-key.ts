// The page that a request is for, as the page cache names it (C2).

import { isPerRequest } from '@portico/shared/wire/build-output.ts'
import type { EntryForm } from '@portico/shared/wire/page-entry.ts'
import type { RouteParams } from '@portico/shared/wire/route-params.ts'
import { paramsKey } from '@portico/shared/wire/routing/page-key.ts'
import type { Resolution } from '@portico/shared/wire/routing/resolve-page.ts'
import type { Representation } from '@portico/shared/wire/routing/urls.ts'

/** Everything that a look-up and a fill know of a request. SECURITY: no path, query, cookie or header of a client. */
export interface Page {
  /** What a renderer sends for the page: a separate entry for the page data of Next.js (X2). */
  readonly as: EntryForm
  readonly pattern: string
  readonly params: RouteParams
  /** In a site with locales. */
  readonly locale?: string | undefined
  /** Locale, pattern and params: names the page in all versions, and chooses its home. */
  readonly name: string
  /** Whether clients cannot choose the key: the build or getStaticPaths names the page. */
  readonly isFixed: boolean
}

const NOT_FOUND_PATTERN = '/404'

/** The not-found screen, which is an entry as each page is. */
export function notFoundScreen(locale?: string): Page {
  return knownPage({ pattern: NOT_FOUND_PATTERN, params: {}, locale })
}

export function isNotFoundScreen({ pattern }: Page): boolean {
  return pattern === NOT_FOUND_PATTERN
}

/**
 * Why no entry can serve a request. `method`: what a form is sent, no cache may keep, and entries say otherwise (X7).
 * `no-page`: page data of an address without a page, or of one of another build. `per-request`: the page is rendered for each
 * client. `no-data`: the page has no data function, and its data is requested in the form of Next.js. `draft`: the client names
 * the draft mode. `no-renderer`: no renderer of the build is ready, and memory has nothing that may be sent. `not-kept`: what the
 * renderer made is no entry.
 */
export type CacheBypass = 'method' | 'no-page' | 'per-request' | 'no-data' | 'draft' | 'no-renderer' | 'not-kept'

/** The page whose entry may serve the request. */
export function pageOf(resolution: Resolution | undefined, as: Representation): Page | CacheBypass {
  if (resolution?.kind === 'no-match')
    return as === 'html' && !resolution.isFailure ? notFoundScreen(resolution.locale) : 'no-page'
  if (resolution?.kind !== 'page') return 'no-page'
  const { entry, params, locale } = resolution
  const { pattern } = entry
  if (isPerRequest(entry.data)) return 'per-request'
  if (as === 'next-data' && entry.data === 'none') return 'no-data'
  const form = as === 'next-data' ? as : 'entry'
  return {
    as: form,
    pattern,
    params,
    locale,
    name: paramsKey(pattern, params, locale),
    isFixed: !pattern.includes('['),
  }
}

/** The key of the entry. A version has no space, and a name begins with a bracket. */
export function pageKey(version: string, { as, name }: Page): string {
  return as === 'entry' ? `${version} ${name}` : `${version} ${as} ${name}`
}

/** The page in its other form, which the same render makes. */
export function otherForm(page: Page): Page {
  return { ...page, as: page.as === 'entry' ? 'next-data' : 'entry' }
}

/** A page that a renderer names before a client requests it. */
export function knownPage({ pattern, params, locale }: Pick<Page, 'pattern' | 'params' | 'locale'>): Page {
  return { as: 'entry', pattern, params, locale, name: paramsKey(pattern, params, locale), isFixed: true }
}
