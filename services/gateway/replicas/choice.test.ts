import { SLOW_START_MS } from '@portico/shared/wire/constants.ts'
import { expect, it, vi } from 'vitest'
import { useService } from '../testing/replicas-fixture.ts'
import { LOOKUP_INTERVAL_MS } from '../testing.ts'

const service = useService()

it('G2 chooses the less busy of two and spreads evenly', async () => {
  service.addresses = ['10.0.0.1', '10.0.0.2', '10.0.0.3', '10.0.0.4']
  await service.start()
  for (let index = 0; index < 400; index++) service.replicas.begin(service.replicas.choose()!)
  const loads = service.replicas.list().map(({ inFlight }) => inFlight)
  expect(Math.max(...loads) - Math.min(...loads)).toBeLessThan(8)
})

it('G2 gives a replica that became ready a growing part of the requests', async () => {
  await service.start()
  await vi.advanceTimersByTimeAsync(SLOW_START_MS)
  service.addresses.push('10.0.0.3')
  await vi.advanceTimersByTimeAsync(LOOKUP_INTERVAL_MS)
  const share = () =>
    Array.from({ length: 3000 }, () => service.replicas.choose()?.address).filter((at) => at === '10.0.0.3').length
  // A third is the whole share.
  expect(share()).toBeLessThan(250)
  await vi.advanceTimersByTimeAsync(SLOW_START_MS / 2)
  expect(share()).toBeGreaterThan(400)
  expect(share()).toBeLessThan(700)
  await vi.advanceTimersByTimeAsync(SLOW_START_MS / 2)
  expect(share()).toBeGreaterThan(900)
})

it('G2 gives a replica that became ready one request of its keys at a time', async () => {
  service.addresses = ['10.0.0.1']
  await service.start()
  await vi.advanceTimersByTimeAsync(SLOW_START_MS)
  service.addresses.push('10.0.0.2')
  await vi.advanceTimersByTimeAsync(LOOKUP_INTERVAL_MS)
  const added = service.at('10.0.0.2')
  const key = Array.from({ length: 50 }, (_, index) => `key-${index}`).find(
    (one) => service.replicas.choose({ key: one }) === added,
  )!
  for (let index = 0; index < 4; index++) service.replicas.begin(service.at('10.0.0.1'))
  expect(service.replicas.choose({ key })).toBe(added)
  for (let index = 0; index < 2; index++) service.replicas.begin(added)
  expect(service.replicas.choose({ key })).not.toBe(added)
  await vi.advanceTimersByTimeAsync(SLOW_START_MS)
  expect(service.replicas.choose({ key })).toBe(added)
})

it('G2 skips the replica that failed the request', async () => {
  await service.start()
  const except = service.at('10.0.0.1')
  for (let index = 0; index < 50; index++) expect(service.replicas.choose({ except })?.address).toBe('10.0.0.2')
  service.addresses = ['10.0.0.1']
  await vi.advanceTimersByTimeAsync(LOOKUP_INTERVAL_MS)
  expect(service.replicas.choose({ except: service.at('10.0.0.1') })).toBeUndefined()
})

it('G2 keeps a key at one replica, moves few keys for a new replica, and spreads keys evenly', async () => {
  service.addresses = ['10.0.0.1', '10.0.0.2', '10.0.0.3', '10.0.0.4']
  await service.start()
  const keys = Array.from({ length: 4000 }, (_, index) => `640 75 /image-${index}.png`)
  const place = () => new Map(keys.map((key) => [key, service.replicas.choose({ key })?.address]))
  const before = place()
  expect(place()).toEqual(before)
  for (const address of service.addresses) {
    const share = [...before.values()].filter((at) => at === address).length
    expect(share).toBeGreaterThan(850)
    expect(share).toBeLessThan(1150)
  }
  service.addresses.push('10.0.0.5')
  await vi.advanceTimersByTimeAsync(LOOKUP_INTERVAL_MS)
  const moved = [...place()].filter(([key, at]) => at !== before.get(key))
  expect(moved.every(([, at]) => at === '10.0.0.5')).toBe(true)
  expect(moved.length).toBeGreaterThan(600)
  expect(moved.length).toBeLessThan(1000)
})

it('G2 moves a hashed choice to another replica when its replica holds more than its share', async () => {
  await service.start()
  const first = service.replicas.choose({ key: 'hot' })!
  for (let index = 0; index < 10; index++) service.replicas.begin(first)
  expect(service.replicas.choose({ key: 'hot' })).not.toBe(first)
  for (let index = 0; index < 10; index++) service.replicas.end(first)
  expect(service.replicas.choose({ key: 'hot' })).toBe(first)
})
