// When leases are renewed, with a clock that stands still (A9).

import { expect, it } from 'vitest'
import { createLog } from '../../shared/node/log.ts'
import { createFakeClock } from '../testing/fake-clock.ts'
import { createTestStore } from '../testing/test-store.ts'
import { createLeaseKeeper } from './lease-keeper.ts'

function setUp(answer: () => Promise<boolean> = async () => true) {
  const clock = createFakeClock(0)
  const renewed: string[] = []
  const warnings: string[] = []
  const store = createTestStore(clock)
  store.renew = (id) => {
    renewed.push(`${id} at ${clock.now()}`)
    return answer()
  }
  const output = { write: (line: string) => void warnings.push((JSON.parse(line) as { msg: string }).msg) }
  const hold = createLeaseKeeper({ store, clock, log: createLog('actions', 'info', output) })
  return { clock, renewed, warnings, hold: (id: string) => hold({ id, owner: 'o', keepMs: 1000 }) }
}

it('A9 renews each lease within three seconds of its start and of each renewal, until it is let go', async () => {
  const { clock, renewed, hold } = setUp()
  const letGo = hold('a')
  await clock.advance(1000)
  hold('b')
  await clock.advance(6000)
  letGo()
  await clock.advance(3500)
  expect(renewed).toEqual(['a at 3000', 'b at 3000', 'a at 6000', 'b at 6000', 'b at 9000'])
})

it('A9 renews nothing that ended before, and takes up leases again after a pause', async () => {
  const { clock, renewed, hold } = setUp()
  for (let count = 0; count < 100; count++) hold('short')()
  await clock.advance(20_000)
  expect(renewed).toEqual([])
  hold('long')
  await clock.advance(3000)
  expect(renewed).toEqual(['long at 23000'])
})

it('A9 says so when a lease is another owner’s, and goes on when the store is away', async () => {
  let answer: () => Promise<boolean> = async () => {
    throw new Error('away')
  }
  const { clock, renewed, warnings, hold } = setUp(() => answer())
  hold('a')
  await clock.advance(3000)
  answer = async () => false
  await clock.advance(3000)
  expect(renewed).toHaveLength(2)
  expect(warnings).toEqual(['a lease could not be renewed', 'a running submission lost its lease'])
})
