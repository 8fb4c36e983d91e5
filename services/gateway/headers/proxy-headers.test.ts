import { gzipSync } from 'node:zlib'
import { INTERNAL_HEADERS } from '@portico/shared/wire/constants.ts'
import { describe, expect, it } from 'vitest'
import { all, send } from '../testing/gateway-fixture.ts'
import { gatewayOf, upstreamOf } from '../testing/proxy-fixture.ts'

describe('headers', () => {
  it('G1 sends no internal or hop-by-hop headers to the upstream', async () => {
    const upstream = await upstreamOf()
    const gateway = await gatewayOf({ upstreams: all(upstream) })
    const headers = {
      'portico-internal-route': '/admin',
      'Portico-Internal-Anything': 'x',
      connection: 'close, keep-alive, te, x-absent',
      'keep-alive': 'timeout=1',
      te: 'trailers',
      'proxy-authorization': 'Basic x',
      'proxy-connection': 'close',
      'x-kept': '1',
      cookie: 'a=1; b=2',
    }
    await send(gateway.port, '/', { headers })
    const { headers: seen } = upstream.requests[0]!
    expect(seen).toMatchObject({ 'x-kept': '1', cookie: 'a=1; b=2', connection: 'keep-alive' })
    for (const name of Object.keys(headers))
      if (!['x-kept', 'cookie', 'connection'].includes(name)) expect(seen).not.toHaveProperty([name.toLowerCase()])
  })

  it('G1 sends no internal or hop-by-hop headers to the client and keeps all other headers', async () => {
    const upstream = await upstreamOf('upstream', {
      respond(_request, response) {
        response.writeHead(200, [
          ...['content-type', 'text/plain', 'Connection', 'close, x-mine', 'x-mine', '1', 'Keep-Alive', 'timeout=1'],
          ...[
            'portico-internal-route',
            '/places/[slug]',
            'portico-internal-cache',
            'HIT',
            'Portico-Internal-Digest',
            'abc',
          ],
          ...[
            'set-cookie',
            'a=1',
            'set-cookie',
            'b=2',
            'link',
            '</a>',
            'x-powered-by',
            'x',
            'proxy-authenticate',
            'Basic',
          ],
        ])
        response.end('body')
      },
    })
    const gateway = await gatewayOf({ upstreams: all(upstream) })
    const { headers } = await send(gateway.port, '/places/x?secret=1', { headers: { connection: 'keep-alive' } })
    expect(headers).toMatchObject({ 'set-cookie': ['a=1', 'b=2'], link: '</a>', connection: 'keep-alive' })
    for (const name of ['x-mine', 'x-powered-by', 'proxy-authenticate']) expect(headers).not.toHaveProperty(name)
    expect(Object.keys(headers).filter((name) => name.startsWith('portico-internal'))).toEqual([])
    const line = gateway.lines.find(({ event }) => event === 'request')
    expect(line).toMatchObject({ route: '/places/[slug]', cache: 'HIT', digest: 'abc', path: '/places/x', status: 200 })
    expect(JSON.stringify(gateway.lines)).not.toContain('secret')
  })

  it('G8 removes what an upstream names in Connection, but never a header that decides how the body is read or stored', async () => {
    const body = gzipSync('x'.repeat(2000))
    const upstream = await upstreamOf('upstream', {
      respond(_request, response) {
        response.writeHead(200, [
          ...[
            'Connection',
            'Content-Length, content-encoding',
            'Connection',
            'CACHE-CONTROL ,x-mine,x-request-id, etag',
          ],
          ...['X-Mine', '1', 'Content-Encoding', 'gzip', 'Cache-Control', 'private', 'ETag', '"a"'],
          ...['Content-Type', 'text/plain', 'Content-Length', String(body.length)],
        ])
        response.end(body)
      },
    })
    const gateway = await gatewayOf({ upstreams: all(upstream) })
    const received = await send(gateway.port, '/x')
    expect(received.headers).toMatchObject({
      'content-encoding': 'gzip',
      'content-length': String(body.length),
      'cache-control': 'private',
      etag: '"a"',
    })
    expect(received.headers['x-request-id']).toMatch(/^[0-9a-f]{16}$/)
    expect(received.headers).not.toHaveProperty('x-mine')
    expect(received.body).toEqual(body)
  })

  it('G7 creates the request id, continues a trace and sends Server-Timing', async () => {
    const upstream = await upstreamOf()
    upstream.respond = (request, response) => {
      if (request.url === '/kept') response.setHeader(INTERNAL_HEADERS.cache, 'STALE')
      response.end()
    }
    const gateway = await gatewayOf({ upstreams: all(upstream) })
    const traceId = '0af7651916cd43dd8448eb211c80319c'
    const traceparent = `00-${traceId}-b7ad6b7169203331-01`
    const { headers } = await send(gateway.port, '/', { headers: { traceparent, 'x-request-id': 'forged-forged' } })
    const seen = upstream.requests[0]!.headers
    expect(headers['x-request-id']).toMatch(/^[0-9a-f]{16}$/)
    expect(seen['x-request-id']).toBe(headers['x-request-id'])
    expect(seen.traceparent).toMatch(new RegExp(`^00-${traceId}-(?!b7ad6b7169203331)[0-9a-f]{16}-01$`))
    expect(headers['server-timing']).toMatch(/^upstream;dur=[\d.]+, gateway;dur=[\d.]+$/)
    const kept = await send(gateway.port, '/kept')
    expect(kept.headers['server-timing']).toMatch(/^cache;desc=STALE, upstream;dur=[\d.]+, gateway;dur=[\d.]+$/)
    expect(gateway.lines.find(({ event }) => event === 'request')).toMatchObject({
      requestId: headers['x-request-id'],
      traceId,
      by: 'renderer',
    })
    await send(gateway.port, '/', { headers: { traceparent: `00-${'0'.repeat(32)}-b7ad6b7169203331-01` } })
    expect(upstream.requests[2]!.headers.traceparent).toMatch(/^00-(?!0{32})[0-9a-f]{32}-[0-9a-f]{16}-01$/)
  })

  it('G7 follows a trace context of any version that it can read, and keeps a state only with its trace', async () => {
    const upstream = await upstreamOf()
    const gateway = await gatewayOf({ upstreams: all(upstream) })
    const [trace, parent] = ['0af7651916cd43dd8448eb211c80319c', 'b7ad6b7169203331']
    const nothing = '0'.repeat(16)
    for (const [traceparent, continued] of [
      [`00-${trace}-${parent}-00`, '00'],
      [`01-${trace}-${parent}-0b-more`, '01'],
      [`00-${trace}-${parent}-01-more`, undefined],
      [`ff-${trace}-${parent}-01`, undefined],
      [`00-${trace}-${nothing}-01`, undefined],
      [`00-${trace.toUpperCase()}-${parent}-01`, undefined],
      ['nonsense', undefined],
    ] as const) {
      await send(gateway.port, '/', { headers: { traceparent, tracestate: 'vendor=1' } })
      const seen = upstream.requests.at(-1)!.headers
      expect([traceparent, seen.traceparent?.includes(trace)]).toEqual([traceparent, continued !== undefined])
      expect([traceparent, seen.tracestate]).toEqual([traceparent, continued === undefined ? undefined : 'vendor=1'])
      expect(seen.traceparent).toMatch(new RegExp(`^00-[0-9a-f]{32}-[0-9a-f]{16}-${continued ?? '01'}$`))
    }
  })

  it('R7 header rules take precedence over the defaults, not over an upstream', async () => {
    const upstream = await upstreamOf('upstream', {
      respond(_request, response) {
        response.writeHead(200, {
          'content-type': 'text/plain',
          'x-a': 'up',
        })
        response.end('x')
      },
    })
    const rule = (source: string, headers: Record<string, string>) => ({
      source,
      headers: Object.entries(headers).map(([key, value]) => ({ key, value })),
    })
    const gateway = await gatewayOf({
      upstreams: all(upstream),
      files: { 'public/a.txt': 'a', 'client/static/a.js': 'a' },
      manifest: {
        headers: [
          rule('/:path*', {
            'X-A': 'rule',
            'X-B': 'rule',
            'Referrer-Policy': 'origin',
            'Cache-Control': 'public, max-age=60',
          }),
          rule('/strict', { 'Content-Length': '1', ETag: '"x"' }),
        ],
      },
    })
    const page = await send(gateway.port, '/strict')
    expect(page.headers).toMatchObject({
      'x-a': 'up',
      'x-b': 'rule',
      'referrer-policy': 'origin',
      'x-content-type-options': 'nosniff',
    })
    expect([page.text, page.headers.etag]).toEqual(['x', undefined])
    expect((await send(gateway.port, '/a.txt')).headers['cache-control']).toBe('public, max-age=60')
    expect((await send(gateway.port, '/_portico/static/a.js')).headers['cache-control']).toContain('immutable')
  })

  it('X5 a parameter in the name of a header rule makes no name that Portico uses itself', async () => {
    const upstream = await upstreamOf()
    const keys = ['x-:name', 'e:name', 'portico-:name', 'transfer-encodin:name']
    const headers = [{ source: '/:name', headers: keys.map((key) => ({ key, value: 'of :name' })) }]
    const gateway = await gatewayOf({ upstreams: all(upstream), manifest: { headers } })
    const of = async (path: string) =>
      Object.entries((await send(gateway.port, path)).headers).filter(([, value]) => String(value).startsWith('of '))
    expect(await of('/tag')).toEqual([
      ['x-tag', 'of tag'],
      ['transfer-encodintag', 'of tag'],
    ])
    expect(await of('/G')).toEqual([
      ['x-g', 'of G'],
      ['eg', 'of G'],
    ])
    expect(await of('/a%0d%0ab:c')).toEqual([])
  })

  it('G6 error screens have the policy of the build, other responses of the gateway none', async () => {
    const upstream = await upstreamOf()
    const screen = { name: 'content-security-policy-report-only', value: "default-src 'none'" } as const
    for (const [csp, own] of [
      [{ site: null, routes: {}, screen }, screen.value],
      [{ site: null, routes: {}, screen: null }, undefined],
    ] as const) {
      const gateway = await gatewayOf({ upstreams: all(upstream), files: { 'public/a.txt': 'a' }, manifest: { csp } })
      const policiesOf = async (path: string, method = 'GET') => {
        const { status, headers } = await send(gateway.port, path, { method })
        return [status, headers['content-security-policy'], headers['content-security-policy-report-only']]
      }
      expect(await policiesOf('/%00')).toEqual([400, undefined, own])
      expect(await policiesOf('/_portico/static/missing.js')).toEqual([404, undefined, undefined])
      expect(await policiesOf('/a.txt')).toEqual([200, undefined, undefined])
    }
  })

  it('G6 sets HSTS only where every configured origin is https', async () => {
    const upstream = await upstreamOf()
    const hsts = async (publicOrigins: string[]) => {
      const gateway = await gatewayOf({ upstreams: all(upstream), publicOrigins })
      return (await send(gateway.port, '/')).headers['strict-transport-security']
    }
    expect(await hsts([])).toBeUndefined()
    expect(await hsts(['https://a.example', 'http://a.example'])).toBeUndefined()
    expect(await hsts(['https://a.example'])).toBe('max-age=31536000')
  })
})
