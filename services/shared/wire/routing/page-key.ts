// The one spelling of a page in keys: of the page caches, of the paths of getStaticPaths, of the hash for the home.

import type { RouteParams } from '../route-params.ts'

/**
 * Pattern and params of a page as a key, equal for equal params in any order. Params that the pattern does not name are
 * ignored, and an empty list is an absent param, as in the path. In a site with locales the locale is the first value.
 *
 * @example
 * ```ts
 * paramsKey('/[lang]/docs/[[...path]]', { path: ['a', 'b'], lang: 'de' }) // '["de",["a","b"]] /[lang]/docs/[[...path]]'
 * ```
 */
export function paramsKey(pattern: string, params: RouteParams, locale?: string): string {
  // The list is first, because JSON shows where the list ends.
  if (!pattern.includes('[') && locale === undefined) return `[] ${pattern}`
  const values: unknown[] = locale === undefined ? [] : [locale]
  for (const [, name = ''] of pattern.matchAll(/\/\[+(?:\.\.\.)?([^[\].]+)\]+/g)) {
    // SECURITY: a route named [__proto__] must not read the prototype.
    const value = Object.hasOwn(params, name) ? params[name] : undefined
    values.push(value === undefined || value.length === 0 ? null : value)
  }
  return `${JSON.stringify(values)} ${pattern}`
}
