// Whether a cache may show the HTML of a page with getServerSideProps more than once: by the headers of the page's code,
// and by the header rules of the site.

import type { HeaderRule, Manifest } from '@portico/shared/wire/build-output.ts'
import { isForSharedCaches, parseCacheControl } from '@portico/shared/wire/caching.ts'
import { prefixed, splitLocale } from '@portico/shared/wire/locales/locales.ts'
import { comparablePath } from '@portico/shared/wire/patterns/comparable-path.ts'
import { type CompiledPattern, compilePattern, matchComparable } from '@portico/shared/wire/patterns/path-patterns.ts'
import type { PageResponse } from './page-response.ts'

/**
 * False only if the headers forbid every reuse (RFC 9111 section 5.2.2): without Cache-Control the renderer sends
 * `private, no-store`. A shared cache may send one response to several waiting clients even if it must validate later.
 */
export function mayBeReused(headers: PageResponse['headers']): boolean {
  if (Object.keys(headers).some(isForSharedCaches)) return true
  const value = headers['cache-control']
  if (value === undefined) return false
  const directives = parseCacheControl(value)
  // A directive with a value, as in `private="set-cookie"`, is about these fields only.
  const has = (name: string) => directives.get(name) === ''
  return !has('no-store') && !(has('private') && (has('no-cache') || directives.get('max-age') === '0'))
}

type RuleTables = Pick<Manifest, 'headers' | 'basePath' | 'i18n'>

/** Of rules with headers for shared caches: the pattern, and the names of these headers in lower case. */
const sharedPaths = new WeakMap<readonly HeaderRule[], SharedPath[]>()

interface SharedPath {
  pattern: CompiledPattern
  names: string[]
  /** The pattern is compared with the path with basePath. */
  isWhole: boolean
}

/**
 * The headers for shared caches that rules add to the path, under any conditions. Cache-Control of a rule counts for no
 * such page, because the renderer sends its own.
 */
export function sharedByRules({ headers: rules, basePath, i18n }: RuleTables, pathname: string): string[] {
  let paths = sharedPaths.get(rules)
  if (!paths) {
    paths = rules.flatMap(({ source, headers, basePath: own }) => {
      const names = headers.map(({ key }) => key.toLowerCase()).filter(isForSharedCaches)
      return names.length > 0 ? [{ pattern: compilePattern(source), names, isWhole: own === false }] : []
    })
    sharedPaths.set(rules, paths)
  }
  if (paths.length === 0) return []
  // A header too many is refused at worst: rules with and without `locale: false` are compared alike.
  const below = spellingsOf(i18n, pathname).map((path) => comparablePath(path))
  const whole = basePath === '' ? below : [comparablePath(basePath + pathname)]
  return paths.flatMap(({ pattern, names, isWhole }) =>
    (isWhole ? whole : below).some((path) => matchComparable(pattern, path)) ? names : [],
  )
}

/** With which paths rules are compared: without the prefix of a locale, and with one. */
function spellingsOf(i18n: RuleTables['i18n'], path: string): string[] {
  if (!i18n) return [path]
  const { locale, pathname } = splitLocale(i18n, path)
  return [pathname, prefixed(locale, pathname)]
}

/** Headers by which page code lets browsers store a document, or compare it with a stored one. */
const FOR_STORED: ReadonlySet<string> = new Set(['cache-control', 'expires', 'etag'])

/**
 * The headers of a document that no cache may keep, whatever page code and rules say; the renderer adds its own
 * Cache-Control. A header of the response takes precedence over that of a rule.
 */
export function withoutReuse(headers: PageResponse['headers'], namesByRules: string[]): PageResponse['headers'] {
  const kept = Object.entries(headers).filter(([name]) => !FOR_STORED.has(name) && !isForSharedCaches(name))
  // Zero is the only value with which nginx stores nothing.
  const refused = namesByRules.map((name) => [name, name === 'x-accel-expires' ? '0' : 'no-store'])
  return Object.fromEntries([...kept, ...refused])
}
