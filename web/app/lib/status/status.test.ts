import type { StackStatus } from 'portico/server'
import { describe, expect, it } from 'vitest'
import { parseStatus, summariesOf } from './status.ts'

function statusAt(
  at: number,
  change: { count?: number; seconds?: number; failed?: number; hit?: number; gateway?: string } = {},
) {
  const { count = 0, seconds = 0, failed = 0, hit = 0, gateway = 'a' } = change
  return {
    ...{ gateway, since: 0, at, buildId: 'b' },
    services: [
      {
        name: 'images',
        replicas: { known: 2, ready: 1 },
        requests: { count, seconds },
        failed,
        cache: { hit, stale: 0, miss: hit / 3, fallback: 0 },
      },
    ],
  } satisfies StackStatus
}

describe('the summary of a service', () => {
  const before = statusAt(1000, { count: 10, seconds: 1, hit: 90 })

  it('O7 holds the rates between two readings of one gateway', () => {
    const now = statusAt(3000, { count: 30, seconds: 2, failed: 1, hit: 90 })
    expect(summariesOf(now, before)).toEqual([
      {
        name: 'images',
        replicas: { known: 2, ready: 1 },
        failed: 1,
        count: 30,
        perSecond: 10,
        averageMs: 50,
        isFailing: true,
        hitShare: 0.75,
      },
    ])
  })

  it('O7 has no rates from one reading, from the same reading, and from readings of two gateways', () => {
    const other = statusAt(3000, { count: 4, seconds: 0.4, failed: 1, gateway: 'b' })
    for (const [first, last] of [
      [undefined, before],
      [before, before],
      [before, other],
    ] as const)
      expect(summariesOf(last, first)).toMatchObject([{ perSecond: undefined, averageMs: 100, isFailing: false }])
  })

  it('O7 has no shares and times of nothing', () => {
    expect(summariesOf(statusAt(3000), statusAt(1000))).toMatchObject([
      { perSecond: 0, averageMs: undefined, hitShare: undefined },
    ])
  })
})

it('A8 reads an event and drops what is none', () => {
  const status = statusAt(1)
  expect(parseStatus(JSON.stringify(status))).toEqual(status)
  for (const text of ['', 'x', 'null', '[]', '{"at":1}']) expect(parseStatus(text)).toBeUndefined()
})
