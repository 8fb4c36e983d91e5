// Paths that only rewrites know, as routes of the browser's manifest (W7): a link to one is a navigation, not a document.
// The browser fetches the data of such a path, and the data names the page. The files here are those that it probably needs.

import type { BrowserManifest, MiddlewareMatcher, RewriteRule } from '@portico/shared/wire/build-output.ts'
import { matchRoute, prepareRoutes } from '@portico/shared/wire/routing/routes.ts'

type Pages = BrowserManifest['pages']

/** The routes of rewrites that lead to pages, without those that are routes of pages already. */
export function rewrittenRoutes(rewrites: readonly RewriteRule[], pages: Pages): Pages {
  const routes = [...pages]
  const shapes = new Set(pages.map(({ pattern }) => shapeOf(pattern)))
  let left = rewrites.filter(({ destination, basePath }) => basePath !== false && destination.startsWith('/'))
  let found: Pages
  // A rewrite may lead to the source of another one.
  do {
    found = []
    const pageOf = createLookUp(routes)
    left = left.filter(({ source, destination }) => {
      const page = pageOf(destination)
      const pattern = patternOf(source)
      if (page && pattern !== undefined && !shapes.has(shapeOf(pattern))) {
        shapes.add(shapeOf(pattern))
        // Only the server knows the page for which getInitialProps is called.
        found.push({ ...page, pattern, data: page.data === 'initial' ? 'server' : page.data })
      }
      return !page
    })
    routes.push(...found)
  } while (found.length > 0)
  return routes.slice(pages.length)
}

/** Patterns that fit every path for which middleware may run, and maybe further ones, so that a browser needs no expressions. */
export function guardedPatterns(matchers: readonly MiddlewareMatcher[]): string[] {
  // A path in the browser has no locale.
  const all = `/${REST}`
  const patterns = matchers.map(({ source, locale }) => (locale === false ? all : (patternOf(source) ?? all)))
  return patterns.includes(all) ? [all] : [...new Set(patterns)]
}

/**
 * The page of a destination. A parameter is the text of a segment, or none: `/posts/:id` is a path of `/posts/[id]`. Its
 * value may also be the rest of a path of another page.
 */
function createLookUp(routes: Pages) {
  const tree = prepareRoutes(routes)
  return (destination: string) => {
    const path = destination.replace(/[?#].*/, '')
    for (const each of [path, path.replace(/\/:\w+\*$/, '')]) {
      const match = matchRoute(tree, each)
      if (match.kind === 'match') return routes.find(({ pattern }) => pattern === match.pattern)
    }
    const at = path.indexOf(':')
    return at < 0 ? undefined : routes.find(({ pattern }) => pattern.startsWith(path.slice(0, at)))
  }
}

/** Patterns that differ in the names of parameters only are of the same paths. */
function shapeOf(pattern: string): string {
  return pattern.replace(/[^[\].]+(?=\])/g, '')
}

const REST = '[[...rest]]'

/** A pattern with each path of a source, and maybe further ones; undefined for a source that is no path. */
function patternOf(source: string): string | undefined {
  const segments: string[] = []
  for (const part of source.split('/').slice(1)) {
    const isWhole = /^:\w+(?:\([^()]*\))?$/.test(part)
    // A parameter of any number of segments, a group, or an expression that has a slash.
    if (
      /[*+?{}\\]/.test(part.replace(/\([^()]*\)/g, '')) ||
      (/[()]/.test(part) && !/^[^()]*\([^()]*\)[^()]*$/.test(part))
    )
      return `/${[...segments, REST].join('/')}`
    if (isWhole || /[:(]/.test(part)) segments.push(`[p${segments.length}]`)
    else if (/[[\]]/.test(part)) return undefined
    else segments.push(textOf(part))
  }
  return `/${segments.join('/')}`
}

/** As paths are compared. */
function textOf(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
