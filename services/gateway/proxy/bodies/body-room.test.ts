import { expect, it } from 'vitest'
import type { Replica } from '../../replicas/service-replicas.ts'
import { createBodyRoom, type RoomHolder } from './body-room.ts'

const holder = (network: string): RoomHolder => ({ network, shares: [] })
// What the room reads of a replica.
const replica = (inFlightLimit: number) => ({ inFlightLimit }) as Replica

it('A7 G8 a body has a slot at one replica, and none at the one that refused its connection', () => {
  const room = createBodyRoom({ bytes: 100, onDisplaced: () => {} })
  const [refused, next] = [replica(4), replica(4)]
  const [first, second] = [holder('a'), holder('a')]
  expect([room.hold(first, 10), room.arrive(first, refused), room.arrive(first, next)]).toEqual([true, true, true])
  expect([room.arrive(second, next), room.arrive(second, refused)]).toEqual([false, true])
  expect(first.shares).toHaveLength(2)
  room.release(first)
  expect([first.shares, room.arrive(second, next)]).toEqual([[], true])
})
