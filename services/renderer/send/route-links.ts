// The Link header of documents: names the route's files before the client has parsed the document. Proxies and networks
// in front can send early hints from the header; browsers fetch the files while a streamed page still waits for data.

import type { Manifest } from '@portico/shared/wire/build-output.ts'
import type { RouteFiles } from '@portico/shared/wire/page-data.ts'
import { routePreloads } from '@portico/shared/wire/routing/route-preloads.ts'
import { staticUrl } from '@portico/shared/wire/routing/urls.ts'
import { NO_FILES } from '../render/render-deps.ts'

/** Proxies in front refuse responses with heads over 4 to 8 KB: half of that remains for all other headers. */
const LONGEST_VALUE = 2048

/** Returns the header's value for a route's documents; each value is built once. */
export function createRouteLinks(
  manifest: Pick<Manifest, 'pages' | 'screens' | 'browserEntry' | 'basePath' | 'assetPrefix'>,
): (route: string) => string | undefined {
  const made = new Map<string, string | undefined>()
  return (route) => {
    if (made.has(route)) return made.get(route)
    // The routes come from the build; a screen that the app folder lacks needs the files that all routes share.
    const entry = [...manifest.pages, ...manifest.screens].find(({ pattern }) => pattern === route)
    const value = linksOf(manifest, entry?.files ?? NO_FILES)
    made.set(route, value)
    return value
  }
}

function linksOf(
  { browserEntry, basePath, assetPrefix = basePath }: Pick<Manifest, 'browserEntry' | 'basePath' | 'assetPrefix'>,
  page: RouteFiles,
): string | undefined {
  const { styles, fonts, scripts } = routePreloads(browserEntry, page)
  let value = ''
  const add = (name: string, how: string) => {
    const link = `${value === '' ? '' : ', '}<${staticUrl(assetPrefix, name)}>; ${how}`
    // The development server's own addresses change with each edit.
    if (!name.startsWith('/') && value.length + link.length <= LONGEST_VALUE) value += link
  }
  for (const name of styles) add(name, 'rel=preload; as=style')
  for (const name of fonts) add(name, 'rel=preload; as=font; crossorigin')
  for (const name of scripts) add(name, 'rel=modulepreload; fetchpriority=low')
  return value === '' ? undefined : value
}
