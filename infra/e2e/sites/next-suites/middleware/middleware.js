import { general } from './lib/middleware/general'
import { headers } from './lib/middleware/headers'
import { matcher } from './lib/middleware/matcher'
import { redirects } from './lib/middleware/redirects'
import { responses } from './lib/middleware/responses'

/** Each suite has its own paths: those of other suites have no middleware. */
export const config = {
  matcher: [
    '/',
    '/middleware-matcher/guarded/:path*',
    // No page: such an expression does not break the build.
    '/_parts/:path((?![^/]*\\.json$)[^/]+$)',
    '/middleware-:suite(general|headers|redirects|responses|trailing-slash)/:path*',
    '/api/middleware-:suite(general|headers)/:path*',
    '/middleware-:suite(general|headers|redirects|responses)',
    '/_next/static/chunks/pages/_app-of-nobody.js',
    '/_next/static/of-nobody/list.json',
  ],
}

const SUITES = { general, headers, matcher, redirects, responses, trailing: general }

export function middleware(request, event) {
  const { pathname } = request.nextUrl
  const suite =
    /^(?:\/api)?\/middleware-(\w+)/.exec(pathname)?.[1] ?? (pathname.startsWith('/_next/') ? 'general' : 'matcher')
  return SUITES[suite](request, event)
}
