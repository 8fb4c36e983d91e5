// When leases are renewed, with a clock that is stopped (A9).

import { createLog } from '@portico/shared/kit/observe/log.ts'
import { expect, it } from 'vitest'
import { createFakeClock } from '../testing/fake-clock.ts'
import { createTestStore } from '../testing/test-store.ts'
import { createLeaseKeeper } from '../testing.ts'

function setUp(renew: () => Promise<boolean> = async () => true) {
  const clock = createFakeClock(0)
  const renewed: string[] = []
  const warnings: string[] = []
  const store = createTestStore(clock)
  store.renew = (id) => {
    renewed.push(`${id} at ${clock.now()}`)
    return renew()
  }
  const output = { write: (line: string) => void warnings.push((JSON.parse(line) as { msg: string }).msg) }
  const hold = createLeaseKeeper(store, clock, createLog('actions', 'info', output))
  return { clock, renewed, warnings, hold: (id: string) => hold({ id, owner: 'o', keepMs: 1000 }) }
}

it('A9 renews each lease within three seconds of its start and of each renewal, until its release', async () => {
  const { clock, renewed, hold } = setUp()
  const release = hold('a')
  await clock.advance(1000)
  hold('b')
  await clock.advance(6000)
  release()
  await clock.advance(3500)
  expect(renewed).toEqual(['a at 3000', 'b at 3000', 'a at 6000', 'b at 6000', 'b at 9000'])
})

it('A9 renews no ended lease, and renews new leases after a pause', async () => {
  const { clock, renewed, hold } = setUp()
  for (let count = 0; count < 100; count++) hold('short')()
  await clock.advance(20_000)
  expect(renewed).toEqual([])
  hold('long')
  await clock.advance(3000)
  expect(renewed).toEqual(['long at 23000'])
})

it('A9 reports when another owner has a lease, and continues when the store is unavailable', async () => {
  let renew: () => Promise<boolean> = async () => {
    throw new Error('away')
  }
  const { clock, renewed, warnings, hold } = setUp(() => renew())
  hold('a')
  await clock.advance(3000)
  renew = async () => false
  await clock.advance(3000)
  expect(renewed).toHaveLength(2)
  expect(warnings).toEqual(['lease not renewed', 'running submission lost its lease'])
})
