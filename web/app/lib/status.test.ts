import { describe, expect, it } from 'vitest'
import { hitShareOf, pageHitShareOf, parseStatus, pointBetween, quantileMs, type StackStatus } from './status.ts'

const spread = (atMost: number[]) => ({ count: atMost.at(-1) ?? 0, sum: 0, bounds: [0.01, 0.1, 1], atMost })

function statusAt(at: number, change: { requests?: number[]; cpu?: number; hit?: number; miss?: number } = {}) {
  const { requests = [0, 0, 0], cpu = 0, hit = 0, miss = 0 } = change
  return {
    at,
    buildId: 'b',
    services: [
      {
        name: 'gateway',
        replicas: { known: 1, ready: 1 },
        requests: spread(requests),
        failed: 0,
        cpuSeconds: cpu,
        memoryBytes: 1,
      },
    ],
    images: {
      answers: { hit, stale: 0, miss, fallback: 0, failed: 0 },
      encode: spread([0, miss, miss]),
      queue: { waiting: 2, running: 1 },
    },
    pages: { answers: { hit: 0, stale: 0, miss: 0, fallback: 0 } },
  } satisfies StackStatus
}

describe('a point of the status', () => {
  it('O7 holds rates between two readings', () => {
    const before = statusAt(1000, { requests: [10, 10, 10], cpu: 5, hit: 90, miss: 10 })
    const now = statusAt(3000, { requests: [10, 30, 30], cpu: 6, hit: 92, miss: 12 })
    const point = pointBetween(before, now)
    expect(point.services.gateway).toEqual({ perSecond: 10, failedPerSecond: 0, p95Ms: 95.5, processors: 0.5 })
    expect(point.hitShare).toBe(0.5)
    expect(point.encode.p50Ms).toBeCloseTo(55)
    expect(point.queue).toEqual({ waiting: 2, running: 1 })
  })

  it('O7 knows no shares and times of nothing', () => {
    const point = pointBetween(statusAt(1000), statusAt(3000))
    expect(point.services.gateway).toMatchObject({ perSecond: 0, p95Ms: undefined })
    expect(point.hitShare).toBeUndefined()
    expect(hitShareOf(statusAt(0))).toBeUndefined()
    expect(hitShareOf(statusAt(0, { hit: 3, miss: 1 }))).toBe(0.75)
    expect(pageHitShareOf(statusAt(0))).toBeUndefined()
    const pages = { answers: { hit: 6, stale: 1, miss: 2, fallback: 1 } }
    expect(pageHitShareOf({ ...statusAt(0), pages })).toBe(0.7)
  })

  it('O7 never falls below zero when another replica answers with smaller counts', () => {
    const point = pointBetween(statusAt(1000, { requests: [9, 9, 9], cpu: 9 }), statusAt(3000, { requests: [1, 1, 1] }))
    expect(point.services.gateway).toMatchObject({ perSecond: 0, processors: 0, p95Ms: undefined })
  })
})

it.each([
  [[0, 0, 0], 0.5, undefined],
  [[4, 4, 4], 0.5, 5],
  [[0, 4, 4], 1, 100],
  [[2, 2, 4], 0.5, 10],
])('O7 of %j the share %d lies within %s ms', (atMost, share, expected) => {
  expect(quantileMs(spread(atMost), share)).toBe(expected)
})

it('O7 says the highest bound of what lies above it', () => {
  expect(quantileMs({ ...spread([0, 0, 0]), count: 3 }, 0.5)).toBe(1000)
})

it('A8 reads an event and drops what is none', () => {
  const status = statusAt(1)
  expect(parseStatus(JSON.stringify(status))).toEqual(status)
  for (const text of ['', 'x', 'null', '[]', '{"at":1}', '{"at":"1","services":[],"images":{}}'])
    expect(parseStatus(text)).toBeUndefined()
})
