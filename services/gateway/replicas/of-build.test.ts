import { expect, it } from 'vitest'
import { chooseMember } from './choice.ts'
import { NEW_MEMBER } from './member-state.ts'
import { poolOfBuild } from './replicas-by-service.ts'
import type { Replica, Replicas } from './service-replicas.ts'

// What a choice reads of a replica.
const replica = (version: string | undefined) => ({ state: { version } }) as Replica

it.each([
  ['build1.x', true],
  ['build2.x', false],
  [undefined, false],
])('X15 G3 a replica of the version %s is chosen for middleware of build1: %s', (version, isTaken) => {
  const chosen = replica(version)
  const pool = poolOfBuild({ choose: () => chosen } as Partial<Replicas> as Replicas, 'build1')
  expect(pool.choose()).toBe(isTaken ? chosen : undefined)
})

it('X15 G3 a resting replica of the build is chosen while a replica of another build is ready', () => {
  const ready = { ...NEW_MEMBER, probed: 'ready' as const }
  const member = (version: string | undefined, pausedUntil = 0) => ({
    inFlight: 0,
    seed: 1,
    state: { ...ready, version, pausedUntil },
  })
  const [other, unknown, resting] = [member('build2.x'), member(undefined, 1000), member('build1.x', 1000)]
  const options = { build: 'build1', mustServe: true } as const
  expect(chooseMember([other, unknown, resting], options, 500, () => 0)).toBe(resting)
  expect(chooseMember([other, resting], { build: 'build1' }, 500, () => 0)).toBe(other)
  expect(chooseMember([other, resting], { ...options, except: resting }, 500, () => 0)).toBeUndefined()
})
