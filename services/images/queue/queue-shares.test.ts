// How the queue shares encoders between sources (I7), with a fake clock: the test sets the time of each job.

import { runs } from '@portico/shared/kit/testing/runs.ts'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createQueue, QueueFullError, type QueueLimits, type WorkOrigin } from './queue.ts'

const LIMITS: QueueLimits = {
  slots: 1,
  memoryBytes: 1e9,
  lengths: { viewer: 32, refresh: 16, 'warm-up': 8 },
  longestWaitMs: 4000,
}
const SITE: WorkOrigin = { pattern: '', host: '' }
const REMOTE: WorkOrigin = { pattern: 'huge.example', host: 'huge.example' }

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
})
afterEach(() => {
  vi.useRealTimers()
})

interface Request {
  atMs: number
  origin: WorkOrigin
  tookMs: number
}
interface Outcome extends Request {
  startedAt: number | undefined
  settledAt: number
  kind: 'made' | 'refused'
}

/** Pushes each request at its time; resolves when all requests have settled. */
async function simulate(requests: Request[], changes: Partial<QueueLimits> = {}): Promise<Outcome[]> {
  const queue = createQueue({ ...LIMITS, ...changes })
  const began = performance.now()
  const now = () => performance.now() - began
  let mostRunning = 0
  const push = async (request: Request): Promise<Outcome> => {
    await new Promise((done) => setTimeout(done, request.atMs))
    let startedAt: number | undefined
    const run = () => {
      startedAt = now()
      mostRunning = Math.max(mostRunning, queue.running + 1)
      return new Promise<void>((done) => setTimeout(done, request.tookMs))
    }
    const signal = new AbortController().signal
    const settled = (kind: Outcome['kind']) => ({ ...request, kind, startedAt, settledAt: now() })
    return queue.push({ urgency: { class: 'viewer' }, origin: request.origin, costBytes: 1, signal, run }).then(
      () => settled('made'),
      (error: unknown) => {
        if (!(error instanceof QueueFullError)) throw error
        return settled('refused')
      },
    )
  }
  const all = Promise.all(requests.map(push))
  await vi.advanceTimersByTimeAsync(120_000)
  expect([queue.running, queue.waiting]).toEqual([0, 0])
  return all
}

const every = (stepMs: number, untilMs: number, origin: WorkOrigin, tookMs: number): Request[] =>
  Array.from({ length: untilMs / stepMs }, (_, at) => ({ atMs: at * stepMs, origin, tookMs }))
const atOnce = (count: number, origin: WorkOrigin, tookMs: number): Request[] =>
  Array.from({ length: count }, () => ({ atMs: 0, origin, tookMs }))
const made = (outcomes: Outcome[], origin?: WorkOrigin) =>
  outcomes.filter((one) => one.kind === 'made' && (!origin || one.origin === origin))

describe('one source with many huge images', () => {
  test.each([500, 1500, 3000])(
    'I7 24 simultaneous images of %i ms have at least the throughput of 6',
    async (tookMs) => {
      const throughput = async (count: number) => {
        const done = made(await simulate(atOnce(count, REMOTE, tookMs)))
        return done.length / Math.max(...done.map(({ settledAt }) => settledAt))
      }
      expect(await throughput(24)).toBeGreaterThanOrEqual(await throughput(6))
    },
  )

  test('I7 delays the site’s images by one of them and causes no refusal, and is itself served in each round', async () => {
    const huge = Array.from({ length: 5 }, (_, at) =>
      atOnce(24, REMOTE, 3000).map((one) => ({ ...one, atMs: at * 6000 })),
    )
    const outcomes = await simulate([...huge.flat(), ...every(200, 30_000, SITE, 50)])
    expect(outcomes.filter(({ origin, kind }) => origin === SITE && kind === 'refused')).toEqual([])
    for (const { startedAt, atMs } of made(outcomes, SITE)) expect(startedAt! - atMs).toBeLessThanOrEqual(3000 + 1000)
    expect(made(outcomes, REMOTE).length).toBeGreaterThanOrEqual(huge.length)
  })

  test('I7 takes no turns of another host of its pattern, and gains none by more names below a wildcard', async () => {
    const wild = (host: string): WorkOrigin => ({ pattern: '**.example', host })
    const [one, other] = [wild('one.example'), wild('other.example')]
    const simultaneous = await simulate([...atOnce(24, one, 3000), ...every(500, 10_000, other, 50)])
    expect(simultaneous.filter(({ origin, kind }) => origin === other && kind === 'refused')).toEqual([])
    const many = Array.from({ length: 24 }, (_, at) => atOnce(1, wild(`${at}.example`), 1500)).flat()
    const site = await simulate([...many, ...every(200, 10_000, SITE, 50)])
    expect(site.filter(({ origin, kind }) => origin === SITE && kind === 'refused')).toEqual([])
  })

  test('I7 a full queue refuses the host with most jobs, and drops the oldest job of that host for another host', async () => {
    const outcomes = await simulate(
      [...atOnce(6, REMOTE, 1000), { atMs: 10, origin: REMOTE, tookMs: 1 }, { atMs: 20, origin: SITE, tookMs: 1 }],
      { lengths: { viewer: 5, refresh: 1, 'warm-up': 1 }, longestWaitMs: 60_000 },
    )
    expect(outcomes.map(({ kind }) => kind)).toEqual([
      'made',
      'refused',
      ...['made', 'made', 'made', 'made'],
      'refused',
      'made',
    ])
  })
})

test('I7 for any arrivals every job settles in time, no slot idles, and a host without waiting jobs is accepted', async () => {
  const origins = [
    SITE,
    REMOTE,
    { pattern: '*.example', host: 'a.example' },
    { pattern: '*.example', host: 'b.example' },
  ]
  const request = fc.record({
    atMs: fc.nat({ max: 8000 }),
    origin: fc.constantFrom(...origins),
    tookMs: fc.integer({ min: 1, max: 6000 }),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(request, { maxLength: 60 }), fc.integer({ min: 1, max: 3 }), async (requests, slots) => {
      const outcomes = await simulate(requests, { slots })
      const waits = (one: Outcome, atMs: number) => one.atMs <= atMs && (one.startedAt ?? one.settledAt) > atMs
      for (const one of outcomes) {
        expect((one.startedAt ?? one.settledAt) - one.atMs).toBeLessThanOrEqual(LIMITS.longestWaitMs)
        if (one.kind !== 'refused') continue
        const isAlone = !outcomes.some(
          (other) => other !== one && other.origin === one.origin && waits(other, one.atMs),
        )
        // A host without another job in the queue is refused only for the age of the job.
        if (isAlone) expect(one.settledAt - one.atMs).toBe(LIMITS.longestWaitMs)
        const running = outcomes.filter(
          (other) => other.startedAt !== undefined && other.startedAt <= one.atMs && other.settledAt >= one.atMs,
        )
        expect(running.length).toBeGreaterThanOrEqual(slots)
      }
    }),
    { numRuns: runs(50, 200) },
  )
})
