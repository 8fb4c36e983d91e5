// The table of what is purged after which changes.

import type { Mark, MarksSince } from '@portico/shared/kit/feed/generations.ts'
import { describe, expect, test } from 'vitest'
import { BATCH_TAGS, QUEUE_LIMIT } from '../testing.ts'
import { type PlanOptions, type PurgeProgress, planPurge } from './plan-purge.ts'

const PROGRESS: PurgeProgress = { version: 'v1', epoch: 'e', generation: 100 }
const READ: MarksSince = { epoch: 'e', generation: 200, floor: 50, marks: [] }
const OPTIONS = { version: 'v1', isLost: false, extra: [] }
const marksOf = (count: number, generationOf: (at: number) => number): Mark[] =>
  Array.from({ length: count }, (_, at) => ({ kind: 'tag', name: `t${at}`, generation: generationOf(at) }))

describe('the plan', () => {
  test.each<[string, PurgeProgress | undefined, Partial<MarksSince>, Partial<PlanOptions>, object]>([
    ['no purge yet', undefined, {}, {}, { kind: 'everything', reason: 'new-version' }],
    ['another version', PROGRESS, {}, { version: 'v2' }, { kind: 'everything', reason: 'new-version' }],
    ['another version that is not compared', PROGRESS, {}, { version: undefined }, { kind: 'nothing' }],
    ['another epoch', PROGRESS, { epoch: 'other' }, {}, { kind: 'everything', reason: 'marks-lost' }],
    ['a store that went back', PROGRESS, { generation: 99 }, {}, { kind: 'everything', reason: 'marks-lost' }],
    ['marks that only the feed knew', PROGRESS, {}, { isLost: true }, { kind: 'everything', reason: 'marks-lost' }],
    ['a raised floor', PROGRESS, { floor: 101 }, {}, { kind: 'everything', reason: 'everything' }],
    ['a change without names', PROGRESS, {}, {}, { kind: 'nothing' }],
    ['the first change of all', { ...PROGRESS, epoch: '', generation: 0 }, { floor: 0 }, {}, { kind: 'nothing' }],
  ])('C6 after %s', (_name, progress, read, options, plan) => {
    expect(planPurge(progress, { ...READ, ...read }, { ...OPTIONS, ...options })).toEqual(plan)
  })

  test('C6 names become tags in the order of their changes, each once', () => {
    const marks: Mark[] = [
      { kind: 'path', name: '/b/', generation: 130 },
      { kind: 'tag', name: 'a b', generation: 120 },
      { kind: 'path', name: '/b', generation: 125 },
    ]
    const batches = [{ tags: ['a%20b', 'path~%2Fb'], through: 200 }]
    expect(planPurge(PROGRESS, { ...READ, marks }, OPTIONS)).toEqual({ kind: 'tags', batches })
  })

  test('C6 a batch purges up to the change that the next batch begins in', () => {
    const plan = planPurge(PROGRESS, { ...READ, marks: marksOf(BATCH_TAGS * 2 + 1, () => 150) }, OPTIONS)
    expect(plan).toMatchObject({ kind: 'tags', batches: [{ through: 149 }, { through: 149 }, { through: 200 }] })
  })

  test('C6 1000 names are purged one by one, 1001 as everything', () => {
    const generationOf = (at: number) => 101 + at
    const read = { ...READ, generation: 5000 }
    const full = planPurge(PROGRESS, { ...read, marks: marksOf(QUEUE_LIMIT, generationOf) }, OPTIONS)
    const tags = full.kind === 'tags' ? full.batches.flatMap((batch) => batch.tags) : []
    expect(tags.length).toBe(1000)
    expect(planPurge(PROGRESS, { ...read, marks: marksOf(QUEUE_LIMIT + 1, generationOf) }, OPTIONS)).toEqual({
      kind: 'everything',
      reason: 'overflow',
    })
  })

  test('C6 further tags are purged first and confirm no change', () => {
    const plan = planPurge(PROGRESS, { ...READ, marks: marksOf(1, () => 150) }, { ...OPTIONS, extra: ['version~v0'] })
    const batches = [
      { tags: ['version~v0'], through: 100 },
      { tags: ['t0'], through: 200 },
    ]
    expect(plan).toEqual({ kind: 'tags', batches })
  })
})
