// Paths with locales (X14), for links and routers. Only sites with `i18n` have this code: the build decides each call.

import { type Locales, localePath, splitLocale } from '@portico/shared/wire/locales/locales.ts'
import { isApiPath, splitTarget, stripBasePath } from '@portico/shared/wire/routing/urls.ts'
import { asPathOf, type SiteRuntime } from './router-context.ts'

/**
 * A link of the site with the prefix of a locale, that of the page where none is given. A path that has a prefix keeps its
 * own, and `false` means the path as it is written.
 *
 * @example
 * ```ts
 * localHref(runtime, '/about?x=1') // '/fr/about?x=1' in a French page
 * localHref(runtime, '/about', 'de') // '/de/about'
 * ```
 */
export function localHref(
  { i18n }: Pick<SiteRuntime, 'i18n'>,
  href: string,
  locale: string | false | undefined = i18n?.locale,
): string {
  if (!i18n || !locale || !href.startsWith('/') || href.startsWith('//')) return href
  const [path = ''] = href.split(/[?#]/, 1)
  if (isApiPath(path) || splitLocale(i18n, path).hasPrefix) return href
  return localePath(i18n, locale, path) + href.slice(path.length)
}

/** `asPath` of a URL: without basePath, and without the prefix of a locale. */
export function localAsPath({ basePath, i18n }: Pick<SiteRuntime, 'basePath' | 'i18n'>, url: string): string {
  const path = asPathOf(url, basePath)
  if (!i18n) return path
  const end = path.search(/[?#]/)
  const pathname = end < 0 ? path : path.slice(0, end)
  return splitLocale(i18n, pathname).pathname + path.slice(pathname.length)
}

/** The locale of a URL of the site; undefined in a site without locales. */
export function localeOfUrl(i18n: Locales | undefined, url: string, basePath: string): string | undefined {
  return i18n && splitLocale(i18n, stripBasePath(splitTarget(url).pathname, basePath) ?? '/').locale
}

/** The facts of the site for a page in a locale. */
export function localRuntime(runtime: SiteRuntime, { url, locale }: { url: string; locale?: string }): SiteRuntime {
  const { i18n, basePath } = runtime
  return i18n ? { ...runtime, i18n: { ...i18n, locale: locale ?? localeOfUrl(i18n, url, basePath)! } } : runtime
}
