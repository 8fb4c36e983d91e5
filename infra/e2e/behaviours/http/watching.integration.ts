// What operators see of a running stack: traces across all services and Redis, and metrics that rules and dashboard
// use.

import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { connectRedis, isReadyWithin } from '@portico/shared/kit/store/redis.ts'
import { hasRedis, type RedisServer, startRedis } from '@portico/shared/kit/testing/redis-server.ts'
import type { Manifest } from '@portico/shared/wire/build-output.ts'
import { imageUrl, staticUrl } from '@portico/shared/wire/routing/urls.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { faultsOfNames, readSeries, type Series } from '../../../checks/observability.ts'
import { type EmbeddedStack, startEmbedded } from '../../harness/embedded-stack.ts'
import { postForm, send } from '../../harness/http.ts'
import { copyApp, makeFolder, type TemporaryFolder } from '../../harness/processes.ts'
import { FIXTURE } from '../../sites/sites.ts'
import { describePurge } from './purge.ts'
import { type ReceivedSpan, startTraceReceiver, type TraceReceiver } from './trace-receiver.ts'

const SERVICES = ['gateway', 'renderer', 'images', 'actions'] as const
const TYPED = 'typed-by-a-client'
const COOKIE = 'kept-by-a-browser'

let folder: TemporaryFolder
let receiver: TraceReceiver
let redis: RedisServer
let stack: EmbeddedStack

beforeAll(async () => {
  if (!hasRedis()) return
  folder = await makeFolder('watching')
  const appDir = join(folder.path, 'site')
  await copyApp(FIXTURE.appDir, appDir)
  receiver = await startTraceReceiver()
  redis = await startRedis()
  stack = await startEmbedded({
    appDir,
    env: {
      STATE_REDIS_URL: redis.url.href,
      CACHE_REDIS_URL: redis.url.href,
      // More than these tests send.
      RATE_LIMIT_POSTS: '30',
      RATE_LIMIT_COLD_IMAGES: '30',
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
      OTEL_BSP_SCHEDULE_DELAY: '100',
      // The exporter's own variable: the time for which it tries to send.
      OTEL_EXPORTER_OTLP_TIMEOUT: '1000',
    },
  })
}, 300_000)

afterAll(async () => {
  await stack?.stop()
  await receiver?.stop()
  await redis?.stop()
  await folder?.remove()
})

/** A visit of one trace, as a browser or a proxy in front would begin it. */
const newTrace = () => {
  const traceId = randomBytes(16).toString('hex')
  return { traceId, traceparent: `00-${traceId}-${randomBytes(8).toString('hex')}-01` }
}

/** Waits for half a minute at most. */
async function poll(isThere: () => boolean): Promise<void> {
  for (let attempt = 0; attempt < 600 && !isThere(); attempt++) await new Promise((done) => setTimeout(done, 50))
}

/** Spans of the trace, once the wanted ones are among them. */
async function spansOf(traceId: string, wanted: (spans: ReceivedSpan[]) => boolean): Promise<ReceivedSpan[]> {
  const read = () => receiver.spans.filter((span) => span.traceId === traceId)
  await poll(() => wanted(read()))
  return read()
}

// A script of Redis is sent whole once, and by its hash from then on.
const idOf = ({ service, name }: ReceivedSpan) =>
  `${service.replace('portico-', '')} ${name.replace('EVALSHA', 'EVAL')}`

describe.skipIf(!hasRedis())('traces', () => {
  test('O7 a form that is posted is one trace from the gateway to Redis and back to a page', async () => {
    const { traceId, traceparent } = newTrace()
    const response = await postForm({
      baseUrl: stack.baseUrl,
      path: '/things/1?secret=typed-into-the-address',
      fields: { text: TYPED },
      headers: { traceparent, cookie: `session=${COOKIE}` },
    })
    expect(response.status, response.text.slice(0, 300)).toBe(200)
    const wanted = [
      'gateway GET /things/[id]',
      'gateway POST',
      'actions EVAL',
      'actions action',
      'renderer POST /things/[id]',
      'renderer getServerSideProps',
      'renderer render',
      'actions GET /api/notes',
    ]
    // The page of the form requests the same data in the same trace: only a span below the POST is the action's.
    const requestOfAction = (spans: ReceivedSpan[]) =>
      spans.find(
        (span) =>
          idOf(span) === 'actions GET /api/notes' &&
          ancestorsOf(span, spans).some(
            ({ service, name }) => service === 'portico-gateway' && name.startsWith('POST'),
          ),
      )
    const isThere = (spans: ReceivedSpan[]) =>
      wanted.every((id) => spans.some((span) => idOf(span) === id)) && requestOfAction(spans) !== undefined
    const spans = await spansOf(traceId, isThere)
    expect(spans.map(idOf)).toEqual(expect.arrayContaining(wanted))
    // The span of the client is the parent of the span of the server, across the services.
    const api = requestOfAction(spans)
    expect(api && ancestorsOf(api, spans).map((span) => span.service)).toEqual(
      expect.arrayContaining(['portico-renderer', 'portico-actions', 'portico-gateway']),
    )
  })

  test('O7 an image is one trace through its phases, Redis and the listener that its source comes from', async () => {
    const { traceId, traceparent } = newTrace()
    const response = await send(stack.baseUrl, imageUrl('', '/pictures/sample.jpg', 640, 75), {
      headers: { traceparent, accept: 'image/webp' },
    })
    expect(response.status).toBe(200)
    const wanted = ['gateway GET image', 'images GET', 'images fetch', 'images queue', 'images decode', 'images encode']
    const spans = await spansOf(
      traceId,
      (found) =>
        wanted.every((id) => found.some((span) => idOf(span) === id)) &&
        found.filter((span) => span.service === 'portico-gateway' && span.kind === 2).length === 2,
    )
    expect(spans.map(idOf)).toEqual(expect.arrayContaining(wanted))
    const source = spans.find(
      (span) => span.service === 'portico-gateway' && span.attributes['url.path'] === '/pictures/sample.jpg',
    )
    expect(source && ancestorsOf(source, spans).map((span) => span.service)).toContain('portico-images')
  })

  test('G7 the trace id of the access line is that of the trace', async () => {
    const { headers } = await send(stack.baseUrl, '/about')
    const requestId = headers['x-request-id']
    const wanted = (span: ReceivedSpan) =>
      span.name === 'GET /about' && span.attributes['portico.request_id'] === requestId
    const [span] = await pollSpans(wanted)
    const findLine = () => stack.lines.find((each) => each.service === 'gateway' && each.requestId === requestId)
    // The log writes several lines at a time.
    await poll(() => findLine() !== undefined)
    expect(findLine()?.traceId).toMatch(/^[0-9a-f]{32}$/)
    expect(findLine()?.traceId).toBe(span?.traceId)
  })

  test('W9 the gateway finds the page, and a renderer of its version trusts it', async () => {
    const pages = { '/sign-in': '/sign-in', '/things/1': '/things/[id]' }
    for (const [path, route] of Object.entries(pages)) {
      const { traceId, traceparent } = newTrace()
      await send(stack.baseUrl, path, { headers: { traceparent } })
      const isRendered = (span: ReceivedSpan) =>
        span.service === 'portico-renderer' && span.attributes['url.path'] === path
      const spans = await spansOf(traceId, (found) => found.some(isRendered))
      expect([path, spans.find(isRendered)?.attributes['portico.resolved_by']]).toEqual([path, 'gateway'])
      const findLine = () => stack.lines.find((line) => line.service === 'gateway' && line.traceId === traceId)
      await poll(() => findLine() !== undefined)
      expect(findLine()).toMatchObject({ path, route })
      expect(findLine()).not.toHaveProperty('resolvedAgain')
    }
  })

  test('C6 the access line of a page from the memory of the gateway names the cache', async () => {
    const isHit = (line: Record<string, unknown>) => line.service === 'gateway' && line.cache === 'HIT'
    const findLine = () => stack.lines.find((line) => isHit(line) && line.path === '/about')
    const isKept = async () => (await send(stack.baseUrl, '/about')).headers['x-portico-cache']
    await expect.poll(isKept).toBe('HIT')
    await poll(() => findLine() !== undefined)
    expect(findLine()).toMatchObject({ by: 'cache', route: '/about', status: 200 })
  })

  test('O7 no span contains a query, a cookie, a body or the text of an error', async () => {
    await send(stack.baseUrl, '/api/echo?fail=yes', { headers: { cookie: `session=${COOKIE}` } })
    await pollSpans((span) => span.attributes['url.path'] === '/api/echo')
    const text = JSON.stringify(receiver.spans)
    expect(text.length).toBeGreaterThan(1000)
    for (const secret of [TYPED, COOKIE, 'typed-into-the-address', 'fail=yes', 'secret-of-the-handler', 'w=640'])
      expect(text).not.toContain(secret)
  })

  test('O7 probes and look-ups make no trace', () => {
    const paths = receiver.spans.map((span) => String(span.attributes['url.path'] ?? ''))
    expect(paths.filter((path) => /^\/(readyz|livez|metrics)/.test(path))).toEqual([])
  })
})

describe.skipIf(!hasRedis())('purges', () => {
  describePurge('with Redis and a page cache in the gateway', () => stack)
})

describe.skipIf(!hasRedis())('metrics', () => {
  test('O7 rules and dashboard use only metrics and labels that the services print', async () => {
    const series: Series[] = []
    for (const service of SERVICES) {
      const ready = stack.lines.find((line) => line.service === service && line.event === 'ready')
      const ports = ready?.ports as { inner: number } | undefined
      series.push(...readSeries((await send(`http://127.0.0.1:${ports?.inner}`, '/metrics')).text))
    }
    expect(series.length).toBeGreaterThan(100)
    expect(faultsOfNames(series)).toEqual([])
  })
})

describe.skipIf(!hasRedis())('source maps', () => {
  const siteFolder = () => join(folder.path, 'site')

  test.each([
    ['renderer', 'a data function', '/broken/data', /pages\/broken\/data\.tsx:4:9/],
    ['renderer', 'a render', '/broken/render', /pages\/broken\/render\.tsx:4:9/],
    ['actions', 'a handler', '/api/echo?fail=yes', /pages\/api\/echo\.ts:\d+:\d+/],
  ])(
    'E4 the log line of the %s about an error of %s has file and line of the author',
    async (service, _of, path, place) => {
      const count = stack.lines.length
      expect((await send(stack.baseUrl, path)).status).toBe(500)
      const find = () => stack.lines.slice(count).find((line) => line.service === service && line.error !== undefined)
      await poll(() => find() !== undefined)
      const text = (find()?.error as { stack?: string } | undefined)?.stack ?? ''
      expect(text).toMatch(place)
      expect(text).toContain(`${siteFolder()}/pages/`)
      // React is not bundled.
      expect(text).not.toMatch(/dist\/(server|actions)\/(?!react\/)/)
    },
  )

  test('E4 no address has a map of a script', async () => {
    const manifest = JSON.parse(await readFile(join(siteFolder(), 'dist/manifest.json'), 'utf8')) as Manifest
    const scripts = Object.keys(manifest.staticFiles).filter((name) => name.endsWith('.js'))
    const addresses = scripts.flatMap((name) => [
      staticUrl('', `${name}.map`),
      `/.portico/source-maps/${manifest.buildId}/${name}.map`,
    ])
    const statuses = await Promise.all(addresses.map(async (path) => (await send(stack.baseUrl, path)).status))
    expect(new Set(statuses)).toEqual(new Set([404]))
  })
})

describe.skipIf(!hasRedis())('limits of a client', () => {
  test('G8 I7 a form, and an image that no cache has, are counted in Redis for two seconds, under names without an address', async () => {
    const client = connectRedis(redis.url, 'state')
    await isReadyWithin(client, 5000)
    const limits = () => client.keys('*limit:*')
    const eventually = () => expect.poll(limits, { timeout: 10_000 })
    // Those of earlier tests.
    await eventually().toEqual([])
    // A slow response may arrive after the end of a key.
    await Promise.all([
      postForm({ baseUrl: stack.baseUrl, path: '/things/1', fields: { text: TYPED } }),
      eventually().toEqual([expect.stringMatching(/^portico:limit:post:[\w-]{22}$/)]),
    ])
    const image = imageUrl('', '/pictures/sample.jpg', 1200, 75)
    const [{ status }] = await Promise.all([
      send(stack.baseUrl, image, { headers: { accept: 'image/avif' } }),
      eventually().toContainEqual(expect.stringMatching(/^\{portico-images-1:limit:[\w-]{22}\}$/)),
    ])
    expect(status).toBe(200)
    client.disconnect()
  })
})

// The last test: it stops the receiver.
describe.skipIf(!hasRedis())('a receiver of traces that is away', () => {
  const sendMany = async () => {
    const responses = await Promise.all(Array.from({ length: 40 }, () => send(stack.baseUrl, '/items/six')))
    return responses.map(({ status }) => status)
  }

  test('O7 a collector that never responds, and one that is unavailable, cost no request and no end within the deadline, and are reported once', async () => {
    receiver.fallSilent()
    for (let round = 0; round < 5; round++) expect(new Set(await sendMany())).toEqual(new Set([200]))
    await receiver.stop()
    for (let round = 0; round < 5; round++) expect(new Set(await sendMany())).toEqual(new Set([200]))
    const isLost = (line: Record<string, unknown>) => line.event === 'traces-lost' && line.service === 'gateway'
    await poll(() => stack.lines.some(isLost))
    // Once a minute, however many are lost.
    expect(stack.lines.filter(isLost)).toHaveLength(1)
    expect(await stack.stop()).toBe(0)
  })
})

async function pollSpans(wanted: (span: ReceivedSpan) => boolean): Promise<ReceivedSpan[]> {
  await poll(() => receiver.spans.some(wanted))
  return receiver.spans.filter(wanted)
}

function ancestorsOf(span: ReceivedSpan, spans: ReceivedSpan[]): ReceivedSpan[] {
  const parent = spans.find((each) => each.spanId === span.parentSpanId)
  return parent ? [parent, ...ancestorsOf(parent, spans)] : []
}
