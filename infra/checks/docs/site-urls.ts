// The addresses that the documentation may request: those of the sample site behind the gateway, and of inner ports.

import { globSync } from 'node:fs'
import { join } from 'node:path'
import { SETTINGS } from '@portico/shared/kit/config/settings.ts'
import { matchRoute, prepareRoutes } from '@portico/shared/wire/routing/routes.ts'
import { root } from '../sources.ts'

const PAGES = 'web/app/pages'
const OF_THE_GATEWAY = /^\/_portico\/(image|static\/.+|data\/.+|manifest\/.+)$/
const INNER_PATHS: ReadonlySet<string> = new Set([
  '/livez',
  '/readyz',
  '/metrics',
  '/internal/purge',
  '/internal/invalidate',
  '/internal/render',
])
/** Reserved names (RFC 2606) in place of the reader's own names. */
const RESERVED = /(^|\.)(example\.(org|com|net)|example)$/

const routes = prepareRoutes(
  globSync('**/*.{ts,tsx}', { cwd: join(root, PAGES) })
    .map((file) => `/${file}`.replace(/\.tsx?$/, '').replace(/\/index$/, '') || '/')
    .filter((pattern) => !/^\/(_|404$|500$)/.test(pattern))
    .map((pattern) => ({ pattern })),
)

/** What is wrong with an address; undefined when nothing is. */
export function urlFault(address: string): string | undefined {
  const { hostname, port, pathname } = new URL(address)
  const isLocal = hostname === 'localhost' || hostname === '127.0.0.1'
  if (!isLocal && !RESERVED.test(hostname)) return `${hostname} is neither this machine nor a reserved name`
  if (port === SETTINGS.INNER_PORT.fallback)
    return INNER_PATHS.has(pathname) ? undefined : `no inner port serves ${pathname}`
  const isServed = OF_THE_GATEWAY.test(pathname) || matchRoute(routes, pathname).kind === 'match'
  return isServed ? undefined : `the sample site has no ${pathname}`
}
