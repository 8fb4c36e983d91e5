// The forms of one site that a recording has: what changes is how the gateway decides, not what the pages show.

import type { SiteFiles } from '../e2e/sites/make-site.ts'
import { everyRoute } from '../e2e/sites/written/every-route.ts'

/** Where the other host of rewrites listens: the build has the address. */
export const OTHER_PORT = 47_311

const MIDDLEWARE = `import { forbidden, notFound, redirect, unauthorized } from 'portico'
import { cookies, next, rewrite } from 'portico/server'

export const config = { matcher: ['/((?!open|widgets).*)'] }

export function middleware(request: Request) {
  const { pathname, search } = new URL(request.url)
  const end = pathname.slice(pathname.lastIndexOf('/') + 1)
  if (request.headers.get('x-variant') === 'c') cookies().set('seen', 'c')
  switch (end) {
    case 'gone':
      return redirect('/about')
    case 'none':
      return notFound()
    case 'hidden':
      return unauthorized()
    case 'writer':
      return forbidden()
    case 'pick':
      return rewrite('/posts/of-middleware' + search, { headers: { 'x-rewritten': 'yes' } })
    case 'alias':
      return rewrite('/me')
    case 'gated':
      return new Response('of middleware', { status: 418, headers: { 'content-type': 'text/plain', 'x-own': 'own' } })
    case 'broken':
      throw new Error('middleware is broken')
    case 'note.txt':
      return next({ headers: { 'cache-control': 'public, max-age=5', vary: 'Cookie' } })
    default:
      return next({ headers: { 'x-guarded': pathname }, requestHeaders: { 'x-user': 'u' } })
  }
}
`

const MORE: SiteFiles = {
  'public/dot.svg': '<svg xmlns="http://www.w3.org/2000/svg" width="4" height="4"><path d="M0 0h4v4H0z"/></svg>\n',
  'public/long.txt': 'long line\n'.repeat(400),
  'pages/api/echo.ts': `import type { ApiHandler } from 'portico'
const handler: ApiHandler = (request, response) => {
  response.setHeader('X-Method', request.method ?? '')
  response.status(request.method === 'DELETE' ? 204 : 200).json({ url: request.url, body: request.body ?? null })
}
export default handler
`,
}

/** With rewrites to another host, and rules for headers that caches obey. */
const CONFIG = `import { defineConfig } from 'portico/config'
export default defineConfig({
  i18n: { locales: ['en', 'de', 'fr'], defaultLocale: 'en' },
  redirects: [
    { source: '/old/:slug', destination: '/posts/:slug', permanent: true },
    { source: '/gated', destination: '/about', permanent: false, has: [{ type: 'cookie', key: 'gate' }] },
  ],
  rewrites: {
    beforeFiles: [{ source: '/pick', destination: '/me', has: [{ type: 'cookie', key: 'variant' }] }],
    afterFiles: [{ source: '/alias/:slug', destination: '/posts/:slug?from=alias' }],
    fallback: [{ source: '/docs-of-others/:path*', destination: 'http://127.0.0.1:${OTHER_PORT}/docs/:path*' }],
  },
  headers: [
    { source: '/about', headers: [{ key: 'Cache-Control', value: 'public, max-age=60' }] },
    { source: '/:path*', has: [{ type: 'header', key: 'x-variant' }], headers: [{ key: 'X-Variant', value: 'seen' }] },
  ],
})
`

export interface RecordedForm {
  name: string
  files: SiteFiles
  /** The environment of the gateway. */
  environment: Record<string, string>
}

const plain = { ...everyRoute(''), ...MORE }
const base = { ...everyRoute(`basePath: '/base', trailingSlash: true,`), ...MORE }

export const FORMS: readonly RecordedForm[] = [
  { name: 'cache', files: base, environment: { GATEWAY_CACHE_MB: '16' } },
  { name: 'no-cache', files: plain, environment: { GATEWAY_CACHE_MB: '0', PUBLIC_ORIGINS: 'https://site.example' } },
  {
    name: 'cdn',
    files: plain,
    environment: { GATEWAY_CACHE_MB: '16', CDN_TAGS: 'on', TRUSTED_PROXIES: '127.0.0.0/8' },
  },
  { name: 'middleware', files: { ...plain, 'middleware.ts': MIDDLEWARE }, environment: { GATEWAY_CACHE_MB: '16' } },
  {
    name: 'middleware-cdn',
    files: { ...base, 'middleware.ts': MIDDLEWARE },
    environment: { GATEWAY_CACHE_MB: '16', CDN_TAGS: 'on', TRUSTED_PROXIES: '127.0.0.0/8' },
  },
  { name: 'locales', files: { ...plain, 'portico.config.ts': CONFIG }, environment: { GATEWAY_CACHE_MB: '16' } },
]
