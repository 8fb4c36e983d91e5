// The states of the fills of one key, and the order of effects over random events.

import { createRandom } from '@portico/shared/kit/testing/random.ts'
import { describe, expect, it, test } from 'vitest'
import { type FillState, IDLE, reduceFill } from './fill-machine.ts'

type FillEvent = Parameters<typeof reduceFill>[1]

const running = (hasNext: boolean): FillState => ({ kind: 'running', revision: 1, hasNext })
const needed = (revision: number, isTrusted = true): FillEvent => ({ kind: 'needed', revision, isTrusted })
const ended = (servesNext: boolean): FillEvent => ({ kind: 'ended', revision: 2, servesNext })

describe('reduceFill', () => {
  test.each<[string, FillState, FillEvent, FillState, string[]]>([
    ['C3 begins a fill for the first request', IDLE, needed(1), running(false), ['start', 'join']],
    ['C3 begins a fill without trust', IDLE, needed(1, false), running(false), ['start', 'join']],
    ['C3 lets a request join a fill', running(false), needed(1), running(false), ['join']],
    ['C5 lets no request join a fill that began before a mark', running(false), needed(2), running(true), ['queue']],
    ['C5 lets no request without trust join a fill', running(false), needed(1, false), running(true), ['queue']],
    ['C3 lets a request join where others are in the queue', running(true), needed(1), running(true), ['join']],
    ['C3 ends with an empty queue', running(false), ended(false), IDLE, ['deliver-all']],
    ['C3 serves the queue with a current entry', running(true), ended(true), IDLE, ['deliver-all']],
    [
      'C5 begins the next fill for the queue',
      running(true),
      ended(false),
      { kind: 'running', revision: 2, hasNext: false },
      ['deliver', 'start-next'],
    ],
  ])('%s', (_title, state, event, next, effects) => {
    expect(reduceFill(state, event)).toEqual({ state: next, effects })
  })

  it('C5 over 10 000 random events no request receives a fill that began before a mark that the request knows', () => {
    const random = createRandom(1)
    let [state, revision, beganAt]: [FillState, number, number] = [IDLE, 0, 0]
    let joined: number[] = []
    let queued: number[] = []
    let delivered = 0
    for (let step = 0; step < 10_000; step++) {
      if (random.next() < 0.2) revision++
      const isEnd = state.kind === 'running' && random.next() < 0.3
      const servesNext = isEnd && random.next() < 0.5
      // An entry that a fill of an earlier revision brought may be current only by the marks themselves.
      const event: FillEvent = isEnd ? { kind: 'ended', revision, servesNext } : needed(revision)
      const next = reduceFill(state, event)
      state = next.state
      for (const effect of next.effects) {
        if (effect === 'start') beganAt = revision
        if (effect === 'join') joined.push(revision)
        if (effect === 'queue') queued.push(revision)
        if (effect === 'deliver' || effect === 'deliver-all') {
          for (const arrived of joined) expect(beganAt).toBeGreaterThanOrEqual(arrived)
          delivered += joined.length
          joined = []
        }
        if (effect === 'deliver-all') {
          if (!servesNext) expect(queued).toEqual([])
          delivered += queued.length
          queued = []
        }
        if (effect === 'start-next') [joined, queued, beganAt] = [queued, [], revision]
      }
    }
    expect(delivered).toBeGreaterThan(1000)
  })
})
