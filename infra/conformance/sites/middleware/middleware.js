import { custom } from './lib/middleware/custom'
import { general } from './lib/middleware/general'
import { headers } from './lib/middleware/headers'
import { matcher } from './lib/middleware/matcher'
import { redirects } from './lib/middleware/redirects'
import { responses } from './lib/middleware/responses'
import { rewrites } from './lib/middleware/rewrites'

/** Each suite has its own paths: those of other suites have no middleware. */
export const config = {
  matcher: [
    '/',
    '/middleware-matcher/guarded/:path*',
    // No page: such an expression does not break the build.
    '/_parts/:path((?![^/]*\\.json$)[^/]+$)',
    '/middleware-:suite(general|headers|redirects|responses|rewrites|trailing-slash)/:path*',
    '/api/middleware-:suite(general|headers)/:path*',
    '/middleware-:suite(general|headers|redirects|responses|rewrites)',
    { source: '/middleware-custom/path' },
    {
      source: '/middleware-custom/header',
      has: [{ type: 'header', key: 'x-flower', value: '(?<flower>.*)' }],
    },
    { source: '/middleware-custom/query', has: [{ type: 'query', key: 'flower' }] },
    {
      source: '/middleware-custom/cookie',
      has: [{ type: 'cookie', key: 'member', value: '(?<member>yes)' }],
    },
    { source: '/middleware-custom/host', has: [{ type: 'host', value: 'garden.example' }] },
    { source: '/middleware-custom/value', has: [{ type: 'header', key: 'xFlower', value: 'rose' }] },
    {
      source: '/middleware-custom/no-header',
      missing: [{ type: 'header', key: 'x-flower', value: '(.*)' }],
    },
    { source: '/middleware-custom/no-query', missing: [{ type: 'query', key: 'flower', value: 'rose' }] },
    '/_next/static/chunks/pages/_app-of-nobody.js',
    '/_next/static/of-nobody/list.json',
  ],
}

const SUITES = { custom, general, headers, matcher, redirects, responses, rewrites, trailing: general }

export function middleware(request, event) {
  const { pathname } = request.nextUrl
  const suite =
    /^(?:\/api)?\/middleware-(\w+)/.exec(pathname)?.[1] ?? (pathname.startsWith('/_next/') ? 'general' : 'matcher')
  return SUITES[suite](request, event)
}
