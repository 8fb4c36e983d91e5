// What a process knows of the marks, event by event.

import { describe, expect, it } from 'vitest'
import { messageOf } from '../testing/changes.ts'
import { type FollowEffect, type FollowEvent, type FollowState, follow, NOT_READ } from './follow.ts'
import type { MarksSince } from './generations.ts'

const READ: FollowState = { epoch: 'e', readUpTo: 50, heardUpTo: 50, confirmedAt: 0, faults: 0 }
const since = (more: Partial<MarksSince>): MarksSince => ({ epoch: 'e', generation: 50, floor: 0, marks: [], ...more })
const read = (more: Partial<MarksSince>, heardBefore = 50): FollowEvent => ({
  kind: 'read',
  read: since(more),
  beganAt: 7,
  heardBefore,
})
const report = (event: 'invalidations-away' | 'invalidations-back' | 'marks-lost') => ({ kind: 'report', event })
const reach = (generation: number) => ({ kind: 'reach', generation })
const LOST = [report('marks-lost'), { kind: 'forget' }]

describe('following the marks', () => {
  it.each<[string, FollowState, FollowEvent, Partial<FollowState>, unknown[]]>([
    [
      'the first read makes everything that was kept before out of date, without a report',
      NOT_READ,
      read({ generation: 9 }, 0),
      { epoch: 'e', readUpTo: 9, confirmedAt: 7 },
      [{ kind: 'forget' }, reach(9)],
    ],
    [
      'marks of the first read are taken: pages that the build has rendered may be older (X9)',
      NOT_READ,
      read({ generation: 9, floor: 3, marks: [{ kind: 'path', name: '/a', generation: 8 }] }, 0),
      { readUpTo: 9 },
      [
        { kind: 'forget' },
        { kind: 'raise-floor', generation: 3 },
        { kind: 'mark', change: { paths: ['/a'], tags: [] }, generation: 8 },
        reach(9),
      ],
    ],
    ['an equal generation confirms what is known', READ, read({}), { readUpTo: 50, confirmedAt: 7 }, [reach(50)]],
    [
      'new marks are taken at their own generations',
      READ,
      read({
        generation: 60,
        marks: [
          { kind: 'path', name: '/a', generation: 55 },
          { kind: 'tag', name: 't', generation: 60 },
        ],
      }),
      { readUpTo: 60 },
      [
        { kind: 'mark', change: { paths: ['/a'], tags: [] }, generation: 55 },
        { kind: 'mark', change: { paths: [], tags: ['t'] }, generation: 60 },
        reach(60),
      ],
    ],
    [
      'a floor above what was read raises the floor here',
      READ,
      read({ generation: 60, floor: 58 }),
      {},
      [{ kind: 'raise-floor', generation: 58 }, reach(60)],
    ],
    ['a floor below what was read changes nothing', READ, read({ floor: 40 }), {}, [reach(50)]],
    [
      'another epoch forgets everything',
      READ,
      read({ epoch: 'f', generation: 99 }),
      { epoch: 'f', readUpTo: 99 },
      [...LOST, reach(99)],
    ],
    [
      'a store without data forgets everything',
      READ,
      read({ epoch: '', generation: 0 }),
      { epoch: '', readUpTo: 0 },
      [...LOST, reach(0)],
    ],
    [
      'the first generation of a store forgets everything, without a report of lost marks',
      { ...READ, epoch: '', readUpTo: 0, heardUpTo: 0 },
      read({ generation: 60 }, 0),
      { epoch: 'e', readUpTo: 60 },
      [{ kind: 'forget' }, reach(60)],
    ],
    ['a smaller generation forgets everything', READ, read({ generation: 49 }), { readUpTo: 49 }, [...LOST, reach(49)]],
    [
      'a generation smaller than that of a message before the read forgets everything',
      { ...READ, heardUpTo: 70 },
      read({ generation: 60 }, 70),
      { readUpTo: 60, heardUpTo: 60 },
      [...LOST, reach(60)],
    ],
    [
      'a message during the read is no sign of lost marks',
      { ...READ, heardUpTo: 70 },
      read({ generation: 60 }, 50),
      { readUpTo: 60, heardUpTo: 70 },
      [reach(60)],
    ],
    ['a fault is reported', READ, { kind: 'fault' }, { faults: 1 }, [report('invalidations-away')]],
    ['a second fault is not reported', { ...READ, faults: 1 }, { kind: 'fault' }, { faults: 2 }, []],
    ['a fault before the first read is not reported', NOT_READ, { kind: 'fault' }, { faults: 1 }, []],
    [
      'the tenth fault before the first read is reported',
      { ...NOT_READ, faults: 9 },
      { kind: 'fault' },
      { faults: 10 },
      [report('invalidations-away')],
    ],
    ['an eleventh one is not', { ...NOT_READ, faults: 10 }, { kind: 'fault' }, { faults: 11 }, []],
    [
      'the first read after a start without a connection is not reported',
      { ...NOT_READ, faults: 9 },
      read({ generation: 9 }, 0),
      { faults: 0 },
      [{ kind: 'forget' }, reach(9)],
    ],
    [
      'the first read after an outage at the start is reported',
      { ...NOT_READ, faults: 11 },
      read({ generation: 9 }, 0),
      { faults: 0 },
      [report('invalidations-back'), { kind: 'forget' }, reach(9)],
    ],
    [
      'a read after a fault is reported',
      { ...READ, faults: 3 },
      read({}),
      { faults: 0 },
      [report('invalidations-back'), reach(50)],
    ],
  ])('C5 %s', (_name, state, event, expected, effects) => {
    const next = follow(state, event)
    expect(next.state).toMatchObject(expected)
    expect(next.effects).toEqual(effects)
  })

  it.each<[string, FollowState, Partial<FollowState>, FollowEffect['kind'], { generation: number; epoch: string }]>([
    [
      'of this epoch is marked at its generation',
      READ,
      { readUpTo: 50, heardUpTo: 60 },
      'mark',
      { generation: 60, epoch: 'e' },
    ],
    ['of another epoch has no place in the order', READ, READ, 'mark-unordered', { generation: 60, epoch: 'f' }],
    ['without a generation has no place in the order', READ, READ, 'mark-unordered', { generation: 0, epoch: '' }],
    [
      'before the first read has no place in the order',
      NOT_READ,
      NOT_READ,
      'mark-unordered',
      { generation: 60, epoch: 'e' },
    ],
  ])('C5 a message %s', (_name, state, expected, kind, at) => {
    const next = follow(state, { kind: 'message', message: messageOf({ paths: ['/a'] }, at) })
    expect(next.state).toMatchObject(expected)
    expect(next.effects).toMatchObject([{ kind, change: { paths: ['/a'] } }])
  })

  it('C5 a message at or below the generation of the last read, whose store may have gone back, marks all data', () => {
    const change = messageOf({ paths: ['/a'] }, { generation: 40, epoch: 'e' })
    const next = follow(READ, { kind: 'message', message: change })
    expect(next.state).toEqual(READ)
    expect(next.effects).toEqual([
      { kind: 'mark-unordered', change, generation: 40 },
      { kind: 'mark', change, generation: 40 },
    ])
  })
})
