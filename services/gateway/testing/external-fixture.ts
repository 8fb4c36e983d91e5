// For tests: a gateway whose rewrites lead to another host, which repeats what it receives.

import type { RewriteRule } from '@portico/shared/wire/build-output.ts'
import { send, startGateway, startUpstream, type TestGateway, type Upstream } from './gateway-fixture.ts'

/** Repeats what it received. */
export const echo: Upstream['respond'] = (request, response, body) =>
  void response
    .writeHead(200, { 'content-type': 'application/json' })
    .end(JSON.stringify({ method: request.method, url: request.url, headers: request.headers, body }))

const pageOf = (pattern: string) => ({
  pattern,
  file: `pages${pattern}.tsx`,
  data: 'none' as const,
  files: { module: '', imports: [], styles: [] },
})

function rulesOf(origin: string): RewriteRule[] {
  return [
    { source: '/taken', destination: `${origin}/from-before`, phase: 'beforeFiles' },
    { source: '/file.txt', destination: `${origin}/from-before`, phase: 'beforeFiles' },
    { source: '/outside/:path*', destination: `${origin}/whole/:path*`, basePath: false, phase: 'beforeFiles' },
    { source: '/about', destination: `${origin}/never` },
    { source: '/out/:path*', destination: `${origin}/prefix/:path*?from=rule` },
    { source: '/root/:path*', destination: `${origin}/:path*` },
    { source: '/api/:path*', destination: `${origin}/api/:path*` },
    { source: '/beta', destination: `${origin}/beta`, has: [{ type: 'cookie', key: 'beta' }] },
    { source: '/go', destination: `${origin}/go/:to`, has: [{ type: 'query', key: 'to', value: '(?<to>.+)' }] },
    { source: '/inner/:path*', destination: 'http://inner.test:1/:path*' },
    { source: '/literal/:path*', destination: 'http://127.0.0.1:1/:path*' },
    { source: '/down/:path*', destination: 'http://down.test:1/:path*' },
    { source: '/:path*', destination: `${origin}/last/:path*`, phase: 'fallback' },
  ]
}

export interface ExternalStack {
  other: Upstream
  renderer: Upstream
  actions: Upstream
  gateway: TestGateway
  /** Name and port of the other host. */
  host: string
  /** Requests a path below basePath. */
  get: (path: string, options?: Parameters<typeof send>[2]) => ReturnType<typeof send>
  /** The targets that the other host received. */
  urls(): string[]
  /** The headers that the other host received last. */
  headersSent(): Upstream['requests'][number]['headers']
  reset(): void
  stop(): Promise<unknown>
}

export async function startExternalStack(): Promise<ExternalStack> {
  const other = await startUpstream('other', { respond: echo })
  const renderer = await startUpstream('renderer', { version: 'build1.env1' })
  const actions = await startUpstream('actions')
  const host = `other.test:${other.port}`
  const origin = `http://${host}`
  const gateway = await startGateway({
    upstreams: { renderer, actions },
    manifest: {
      basePath: '/base',
      pages: ['/about', '/taken', '/[slug]'].map(pageOf),
      apiRoutes: [pageOf('/api/health')],
      rewrites: rulesOf(origin),
      rewriteOrigins: { [origin]: { cookies: ['session'], authorization: false } },
    },
    files: { 'public/file.txt': 'file' },
    rewriteInnerHosts: ['other.test', 'down.test:1', 'inner.test:2'],
    resolveHost: async () => [{ address: '127.0.0.1', family: 4 }],
    bodyCeilingBytes: 100_000,
  })
  return {
    other,
    renderer,
    actions,
    gateway,
    host,
    get: (path, options) => send(gateway.port, `/base${path}`, options),
    urls: () => other.requests.map(({ url }) => url),
    headersSent: () => other.requests.at(-1)!.headers,
    reset() {
      for (const { requests } of [other, renderer, actions]) requests.length = 0
      other.respond = echo
    },
    stop: () => Promise.all([gateway, other, renderer, actions].map((part) => part.stop())),
  }
}
