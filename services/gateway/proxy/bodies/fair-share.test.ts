import { expect, it } from 'vitest'
import { addItem, createFairShare, removeItem } from './fair-share.ts'

type Held = [address: string, item: string, weight: number]

function shareOf(capacity: number, held: Held[]) {
  const share = createFairShare<string>(capacity)
  for (const [address, item, weight] of held) expect(addItem(share, address, item, weight)).toEqual([])
  return share
}

const CASES: [string, Held[], Held, string[] | undefined][] = [
  ['while there is room nothing is displaced', [['a', 'a1', 5]], ['b', 'b1', 5], []],
  [
    'the oldest of the address that holds most is displaced',
    [
      ['a', 'a1', 3],
      ['a', 'a2', 3],
      ['b', 'b1', 4],
    ],
    ['c', 'c1', 2],
    ['a1'],
  ],
  [
    'an address that holds most has no room for more',
    [
      ['a', 'a1', 4],
      ['a', 'a2', 4],
      ['b', 'b1', 2],
    ],
    ['a', 'a3', 2],
    undefined,
  ],
  [
    'addresses that hold as much displace nothing of each other',
    [
      ['a', 'a1', 5],
      ['b', 'b1', 5],
    ],
    ['b', 'b2', 1],
    undefined,
  ],
  [
    'an address that would hold less has its place',
    [
      ['a', 'a1', 4],
      ['a', 'a2', 4],
      ['b', 'b1', 2],
    ],
    ['b', 'b2', 1],
    ['a1'],
  ],
  [
    'an address that holds nothing has its place among equals',
    [
      ['a', 'a1', 5],
      ['b', 'b1', 5],
    ],
    ['c', 'c1', 5],
    ['a1'],
  ],
  [
    'as many are displaced as it takes, from those that hold most at each step',
    [
      ['a', 'a1', 3],
      ['a', 'a2', 3],
      ['b', 'b1', 4],
    ],
    ['c', 'c1', 7],
    ['a1', 'b1'],
  ],
  ['what is more than all there is has no room', [['a', 'a1', 9]], ['b', 'b1', 11], undefined],
]

it.each(CASES)('A7 G8 %s', (_name, held, [address, item, weight], displaced) => {
  const share = shareOf(10, held)
  expect(addItem(share, address, item, weight)).toEqual(displaced)
  expect(share.held).toBeLessThanOrEqual(10)
})

it('A7 G8 a removed item makes room', () => {
  const share = shareOf(10, [
    ['a', 'a1', 6],
    ['b', 'b1', 4],
  ])
  removeItem(share, 'a', 'a1')
  removeItem(share, 'a', 'a1')
  removeItem(share, 'absent', 'a1')
  expect(share.held).toBe(4)
  expect(addItem(share, 'b', 'b2', 6)).toEqual([])
  removeItem(share, 'b', 'b1')
  removeItem(share, 'b', 'b2')
  expect([share.held, share.groups.size]).toEqual([0, 0])
})

it('A7 G8 an address that takes everything does not exclude another address', () => {
  const share = createFairShare<number>(100)
  let displacedOthers = 0
  for (let item = 0; item < 10_000; item++) {
    const isOther = item % 100 === 0
    for (const lost of addItem(share, isOther ? `other ${item % 1000}` : `attacker ${item % 20}`, item, 1) ?? [])
      if (lost % 100 === 0) displacedOthers++
    if (isOther) removeItem(share, `other ${(item + 500) % 1000}`, item - 500)
  }
  expect(displacedOthers).toBe(0)
})
