// The page that a request is for, as the page cache names it (C2).

import { isPerRequest } from '@portico/shared/wire/build-output.ts'
import type { EntryForm } from '@portico/shared/wire/page-entry.ts'
import { paramsKey } from '@portico/shared/wire/routing/page-key.ts'
import type { Resolution } from '@portico/shared/wire/routing/resolve-page.ts'
import type { RouteParams } from '@portico/shared/wire/routing/routes.ts'
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
 * Undefined for a request that no entry can serve: a page that is rendered for each client, page data of an address without
 * a page, and in the form of Next.js of a page without a data function.
 */
export function pageOf(resolution: Resolution | undefined, as: Representation): Page | undefined {
  if (resolution?.kind === 'no-match')
    return as === 'html' && !resolution.isFailure ? notFoundScreen(resolution.locale) : undefined
  if (resolution?.kind !== 'page' || isPerRequest(resolution.entry.data)) return undefined
  const { entry, params, locale } = resolution
  const { pattern } = entry
  if (as === 'next-data' && entry.data === 'none') return undefined
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
