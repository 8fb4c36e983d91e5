import { describe, expect, it } from 'vitest'
import { type ArrivalFault, beginArrival, observeArrival } from './body-arrival.ts'

type ArrivalObservation = Parameters<typeof observeArrival>[1]

/**
 * Observes one total of received bytes per second; returns the first fault and its second, undefined without a fault.
 */
function arrive(
  totals: readonly number[],
  more: Partial<ArrivalObservation> = {},
): [second: number, fault: ArrivalFault] | undefined {
  let arrival = beginArrival(0)
  for (const [index, receivedBytes] of totals.entries()) {
    const now = (index + 1) * 1000
    const seen = observeArrival(arrival, { now, receivedBytes, isUnread: false, isResponded: false, ...more })
    if (seen.fault) return [index + 1, seen.fault]
    arrival = seen.arrival
  }
  return undefined
}

const seconds = (count: number, at: (second: number) => number) =>
  Array.from({ length: count }, (_, index) => at(index + 1))

describe('a body that arrives', () => {
  const CASES: [string, number[], ReturnType<typeof arrive>][] = [
    ['nothing for 10 s is idle', seconds(30, () => 0), [10, 'body-idle']],
    ['65 000 bytes and then nothing is idle', seconds(30, () => 65_000), [11, 'body-idle']],
    [
      'a byte every 9 s is slow after the first 10 s',
      seconds(40, (second) => Math.floor(second / 9)),
      [20, 'body-slow'],
    ],
    ['a fast start does not allow a slow end', seconds(60, (second) => 50_000_000 + second), [20, 'body-slow']],
    ['just under the minimum rate is slow', seconds(60, (second) => second * 1023), [20, 'body-slow']],
    ['the minimum rate is accepted', seconds(600, (second) => second * 1024), undefined],
    ['a slow start has 10 s', seconds(60, (second) => (second < 10 ? 1 : (second - 9) * 1100)), undefined],
    [
      'pauses of 9 s at the minimum rate are accepted',
      seconds(300, (second) => Math.floor(second / 9) * 12_000),
      undefined,
    ],
  ]
  it.each(CASES)('A7 G8 %s', (_name, totals, expected) => {
    expect(arrive(totals)).toEqual(expected)
  })

  it('A7 G8 may wait for a minute while the service does not read', () => {
    expect(
      arrive(
        seconds(60, () => 100),
        { isUnread: true },
      ),
    ).toBeUndefined()
    expect(
      arrive(
        seconds(90, () => 100),
        { isUnread: true },
      ),
    ).toEqual([61, 'body-unread'])
    expect(
      arrive(
        seconds(300, (second) => Math.floor(second / 30)),
        { isUnread: true },
      ),
    ).toBeUndefined()
  })

  it('A7 G8 has its full time again when the service continues to read', () => {
    const unread = { now: 40_000, receivedBytes: 5, isUnread: true, isResponded: false }
    let { arrival } = observeArrival(beginArrival(0), unread)
    for (const now of [41_000, 49_000]) {
      const seen = observeArrival(arrival, { ...unread, now, isUnread: false })
      expect(seen.fault).toBeUndefined()
      arrival = seen.arrival
    }
    expect(observeArrival(arrival, { ...unread, now: 50_000, isUnread: false }).fault).toBe('body-idle')
  })

  it('A7 G8 has 5 s after the end of its response, at any rate', () => {
    expect(
      arrive(
        seconds(60, (second) => second * 1_000_000),
        { isResponded: true },
      ),
    ).toEqual([6, 'body-after-response'])
  })
})
