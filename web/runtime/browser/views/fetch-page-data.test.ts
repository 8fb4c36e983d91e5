// Page data in the browser: what is retried, and which responses can be used.

import { describe, expect, test, vi } from 'vitest'
import { createDataFetcher, type DataResult } from './fetch-page-data.ts'

const BUILD = 'build-1'
const PAGE = { kind: 'page', route: '/a', params: {}, props: { n: 1 } }

interface Outcome {
  result: DataResult | Error
  pauses: number[]
  requests: number
  sessionChanges: number
  /** Aborts the last request. */
  signal?: AbortSignal | null | undefined
  priority?: RequestPriority | undefined
}

interface FetchOverOptions {
  retry?: boolean
  random?: number
  abortAfterPause?: boolean
  prefetch?: 'intent' | 'view'
}

/** Fetches over a list of responses; the last one is repeated. */
async function fetchOver(
  responses: (() => Response)[],
  { retry = true, random = 0.5, abortAfterPause = false, prefetch }: FetchOverOptions = {},
): Promise<Outcome> {
  const outcome: Outcome = { result: new Error('none'), pauses: [], requests: 0, sessionChanges: 0 }
  const controller = new AbortController()
  const fetchData = createDataFetcher({
    buildId: BUILD,
    random: () => random,
    onSessionChange: () => void outcome.sessionChanges++,
    fetch: async (_url, init) => {
      outcome.signal = init?.signal
      outcome.priority = init?.priority
      const next = responses[Math.min(outcome.requests++, responses.length - 1)]!
      return next()
    },
    pause: async (milliseconds, signal) => {
      outcome.pauses.push(milliseconds)
      if (abortAfterPause) controller.abort(new Error('another navigation'))
      signal?.throwIfAborted()
    },
  })
  outcome.result = await fetchData('/data', {
    signal: controller.signal,
    retry,
    ...(prefetch && { prefetch }),
  }).catch((error: Error) => error)
  return outcome
}

function respondWith(status: number, body: unknown = PAGE, headers: Record<string, string> = {}): () => Response {
  return () =>
    new Response(typeof body === 'string' ? body : JSON.stringify(body), {
      status,
      headers: { 'content-type': 'application/json; charset=utf-8', 'portico-build': BUILD, ...headers },
    })
}

function noNetwork(): never {
  throw new TypeError('fetch failed')
}

test('X5 page data has the query that a rewrite has added, below the parameters of the path', async () => {
  const added = encodeURIComponent(JSON.stringify({ from: ['alias'], id: 'of the query' }))
  const page = respondWith(200, { ...PAGE, params: { id: '1' } }, { 'portico-query': added })
  const paramsNow = async () => {
    const { result } = await fetchOver([page])
    return 'kind' in result && result.kind === 'data' && result.data.kind === 'page' && result.data.params
  }
  expect(await paramsNow()).toEqual({ id: '1' })
  vi.stubEnv('PORTICO_REWRITES', 'on')
  try {
    expect(await paramsNow()).toEqual({ from: ['alias'], id: '1' })
  } finally {
    vi.unstubAllEnvs()
  }
})

test('P1 data of a link in view has low priority; that of a link under the pointer and of a navigation has not', async () => {
  const priorityOf = async (prefetch?: 'intent' | 'view') =>
    (await fetchOver([respondWith(200)], prefetch ? { prefetch } : {})).priority
  expect([await priorityOf('view'), await priorityOf('intent'), await priorityOf()]).toEqual(['low', 'auto', 'auto'])
})

describe('retries', () => {
  test('D4 a 5xx is retried up to three times, with the pauses of the table', async () => {
    const { result, pauses, requests } = await fetchOver([respondWith(503)])
    expect([requests, pauses]).toEqual([4, [250, 500, 1000]])
    expect(result).toEqual({ kind: 'unusable', reason: 'status', status: 503 })
  })

  test('D4 the pauses vary by half to both sides', async () => {
    expect((await fetchOver([respondWith(500)], { random: 0 })).pauses).toEqual([125, 250, 500])
    const most = (await fetchOver([respondWith(500)], { random: 1 - Number.EPSILON })).pauses
    expect(most.map(Math.round)).toEqual([375, 750, 1500])
  })

  test('D4 stops at the first response that is not a 5xx', async () => {
    expect(await fetchOver([respondWith(502), respondWith(200)])).toMatchObject({
      requests: 2,
      result: { kind: 'data' },
    })
    for (const status of [200, 400, 401, 404, 429]) expect((await fetchOver([respondWith(status)])).requests).toBe(1)
  })

  test('D4 obeys Retry-After, and does not wait for a long one', async () => {
    expect((await fetchOver([respondWith(503, PAGE, { 'retry-after': '2' }), respondWith(200)])).pauses).toEqual([2000])
    expect((await fetchOver([respondWith(503, PAGE, { 'retry-after': '0' }), respondWith(200)])).pauses).toEqual([0])
    const long = await fetchOver([respondWith(503, PAGE, { 'retry-after': '3600' })])
    expect(long).toMatchObject({ requests: 1, pauses: [], result: { kind: 'unusable', status: 503 } })
    expect((await fetchOver([respondWith(503, PAGE, { 'retry-after': 'soon' }), respondWith(200)])).pauses).toEqual([
      250,
    ])
  })

  test('D4 prefetches and static pages are not tried again', async () => {
    expect(await fetchOver([respondWith(503)], { retry: false })).toMatchObject({ requests: 1, pauses: [] })
  })

  test('N6 a navigation that took over ends the tries', async () => {
    const { result, requests } = await fetchOver([respondWith(503)], { abortAfterPause: true })
    expect([result, requests]).toEqual([new Error('another navigation'), 1])
  })
})

describe('responses', () => {
  const cases: [string, () => Response, Partial<DataResult> & object][] = [
    ['W2 a page', respondWith(200), { kind: 'data', data: PAGE as never, isPrivate: false }],
    ['W2 a redirect', respondWith(200, { kind: 'redirect', location: '/x', status: 307 }), { kind: 'data' }],
    ['W2 not found', respondWith(404, { kind: 'not-found' }), { kind: 'data', data: { kind: 'not-found' } }],
    [
      'X4 the error of a file, a handler or another host, to which a rewrite leads',
      respondWith(404, { error: { status: 404, title: 'Not found', code: 'not-found' } }),
      { kind: 'unusable', reason: 'content-type', status: 404 },
    ],
    ['N5 a foreign build by its body', respondWith(404, { kind: 'foreign-build' }), { reason: 'foreign-build' }],
    [
      'N5 a foreign build by its header',
      respondWith(200, PAGE, { 'portico-build': 'other' }),
      { reason: 'foreign-build' },
    ],
    [
      'P4 a page that refuses the client',
      respondWith(401, { error: { status: 401, title: 'x', code: 'unauthorized' } }),
      { kind: 'data', data: { kind: 'refused', status: 401 } },
    ],
    [
      'N5 a refusal of something between browser and page',
      respondWith(403, { error: { status: 403, title: 'x', code: 'forbidden' } }),
      { reason: 'status', status: 403 },
    ],
    ['N5 a status', respondWith(403, { error: { status: 403, title: 'x' } }), { reason: 'status', status: 403 }],
    ['N5 another type', respondWith(200, '<p>', { 'content-type': 'text/html' }), { reason: 'content-type' }],
    ['N5 a body cut short', respondWith(200, '{"kind":"pa'), { reason: 'content-type' }],
    ['N5 JSON of another kind', respondWith(200, { kind: 'page', route: 7 }), { reason: 'content-type' }],
    ['N5 JSON null', respondWith(200, 'null'), { reason: 'content-type' }],
    ['N5 no network', noNetwork, { reason: 'network' }],
  ]
  for (const [title, given, wanted] of cases)
    test(title, async () => {
      expect((await fetchOver([given])).result).toMatchObject(wanted)
    })

  test('P3 marks private data', async () => {
    for (const [header, isPrivate] of [
      ['private, no-store', true],
      ['no-store', true],
      ['max-age=0, private', true],
      ['public, max-age=0, must-revalidate', false],
      ['', false],
    ] as const)
      expect((await fetchOver([respondWith(200, PAGE, { 'cache-control': header })])).result).toMatchObject({
        isPrivate,
      })
  })

  test('P4 a 401, a 403 and the session header drop what was prefetched', async () => {
    expect((await fetchOver([respondWith(401)])).sessionChanges).toBe(1)
    expect((await fetchOver([respondWith(403)])).sessionChanges).toBe(1)
    expect((await fetchOver([respondWith(200, PAGE, { 'portico-session': 'changed' })])).sessionChanges).toBe(1)
    expect((await fetchOver([respondWith(200)])).sessionChanges).toBe(0)
  })
})

describe('deferred data', () => {
  const DEFERRED = { ...PAGE, props: { late: { $deferred: 0 }, other: { $deferred: 1 } } }
  const LINES = {
    'content-type': 'application/jsonl; charset=utf-8',
    'portico-build': BUILD,
    'cache-control': 'no-store',
  }

  /** Page data whose lines the test sends. */
  async function receive() {
    let lines!: ReadableStreamDefaultController<Uint8Array>
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        lines = controller
      },
    })
    const send = (text: string) => lines.enqueue(new TextEncoder().encode(text))
    const received = fetchOver([() => new Response(body, { headers: LINES })])
    const [first, rest] = [JSON.stringify(DEFERRED).slice(0, 20), JSON.stringify(DEFERRED).slice(20)]
    send(first)
    send(`${rest}\n`)
    const outcome = await received
    const { signal } = outcome
    signal?.addEventListener('abort', () => lines.error(signal.reason))
    if (outcome.result instanceof Error || outcome.result.kind !== 'data') throw new Error('no data')
    const { data } = outcome.result
    if (data.kind !== 'page') throw new Error('no page')
    const { late, other } = data.props as Record<'late' | 'other', Promise<unknown>>
    return { outcome, data, late, other, lines, send, isAborted: () => signal?.aborted }
  }

  test('W2 resolves with the first line; each later line settles its promise, in any order and any pieces', async () => {
    const { late, other, send, outcome } = await receive()
    send('{"n":1,"error":{"digest":"0123456789"}}\n{"n":0,"val')
    await expect(other).rejects.toMatchObject({ digest: '0123456789' })
    send('ue":"\u00fc"}\n')
    expect(await late).toBe('\u00fc')
    expect(outcome.requests).toBe(1)
  })

  test('W2 D4 a connection that ends or breaks is an error in each open promise, and nothing is sent again', async () => {
    for (const end of [
      (lines: ReadableStreamDefaultController) => lines.close(),
      (lines: ReadableStreamDefaultController) => lines.error(new Error('reset')),
    ]) {
      const { late, other, send, lines, outcome } = await receive()
      send('{"n":0,"value":1}\n')
      expect(await late).toBe(1)
      end(lines)
      await expect(other).rejects.toThrow('Deferred data failed')
      expect(outcome.requests).toBe(1)
    }
  })

  test('D4 a connection that is silent for longer than the server’s time limit is an error in each open promise', async () => {
    vi.useFakeTimers()
    try {
      const { late, isAborted } = await receive()
      const failed = expect(late).rejects.toThrow('Deferred data failed')
      await vi.advanceTimersByTimeAsync(11_000)
      expect(isAborted()).toBe(false)
      await vi.advanceTimersByTimeAsync(2000)
      await failed
      expect(isAborted()).toBe(true)
    } finally {
      vi.useRealTimers()
    }
  })

  test('N6 closes the connection of a page that is left, without an error in its parts', async () => {
    const { data, late, isAborted } = await receive()
    let isSettled = false
    const settle = () => {
      isSettled = true
    }
    late.then(settle, settle)
    data.close?.()
    // Cancelling the body is not enough in Firefox.
    expect(isAborted()).toBe(true)
    await new Promise((next) => setTimeout(next))
    expect(isSettled).toBe(false)
  })

  test('W2 one JSON with all lines is a page whose promises have settled', async () => {
    const body = {
      ...DEFERRED,
      deferred: [
        { n: 0, value: 'here' },
        { n: 1, error: { kind: 'not-found' } },
      ],
    }
    const { result } = await fetchOver([respondWith(200, body)])
    const { data } = result as Extract<DataResult, { kind: 'data' }>
    const { late, other } = (data.kind === 'page' ? data.props : {}) as Record<string, Promise<unknown>>
    expect(await late).toBe('here')
    await expect(other).rejects.toThrow()
    expect(data).not.toHaveProperty('deferred')
  })
})
