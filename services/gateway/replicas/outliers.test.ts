import { BROKEN_SHARE_WINDOW_MS } from '@portico/shared/wire/constants.ts'
import { expect, it, vi } from 'vitest'
import { useService } from '../testing/replicas-fixture.ts'
import { PROBE_INTERVAL_MS } from './service-replicas.ts'

const service = useService()

it('G2 ejects a replica that refuses connections immediately, and for longer each time', async () => {
  await service.start()
  const replica = service.at('10.0.0.1')
  for (const pauseMs of [1000, 2000, 4000, 8000, 10_000, 10_000]) {
    service.replicas.failed(replica, 'refused')
    // Many requests that fail at the same moment count as one failure.
    service.replicas.failed(replica, 'refused')
    expect(service.chosen()).toEqual(['10.0.0.2'])
    await vi.advanceTimersByTimeAsync(pauseMs - 100)
    expect(service.chosen()).toEqual(['10.0.0.2'])
    await vi.advanceTimersByTimeAsync(200 + PROBE_INTERVAL_MS)
    expect(service.chosen()).toEqual(['10.0.0.1', '10.0.0.2'])
  }
  service.replicas.succeeded(replica)
  service.replicas.failed(replica, 'refused')
  await vi.advanceTimersByTimeAsync(1100 + PROBE_INTERVAL_MS)
  expect(service.chosen()).toEqual(['10.0.0.1', '10.0.0.2'])
})

it('G2 ejects a replica after three broken requests in a row, not after three in a thousand', async () => {
  await service.start()
  const replica = service.at('10.0.0.1')
  for (let index = 0; index < 10; index++) {
    service.replicas.failed(replica, 'broken')
    service.replicas.failed(replica, 'broken')
    for (let time = 0; time < 20; time++) service.replicas.succeeded(replica)
  }
  expect(service.chosen()).toEqual(['10.0.0.1', '10.0.0.2'])
  for (let index = 0; index < 3; index++) service.replicas.failed(replica, 'broken')
  expect(service.chosen()).toEqual(['10.0.0.2'])
})

it('G2 gives a replica a rest by the share of its broken requests, and only half of the replicas at a time', async () => {
  service.addresses = ['10.0.0.1', '10.0.0.2', '10.0.0.3']
  await service.start()
  const breakSome = (address: string) => {
    const replica = service.at(address)
    for (let index = 0; index < 60; index++)
      if (index % 3 === 2) service.replicas.failed(replica, 'broken')
      else service.replicas.succeeded(replica)
  }
  breakSome('10.0.0.1')
  expect(service.chosen()).toEqual(['10.0.0.2', '10.0.0.3'])
  breakSome('10.0.0.2')
  expect(service.chosen()).toEqual(['10.0.0.2', '10.0.0.3'])
  // What refuses connections is always out, however many others rest.
  service.replicas.failed(service.at('10.0.0.2'), 'refused')
  expect(service.chosen()).toEqual(['10.0.0.3'])
  await vi.advanceTimersByTimeAsync(1000 + PROBE_INTERVAL_MS)
  expect(service.chosen()).toEqual(['10.0.0.1', '10.0.0.2', '10.0.0.3'])
  // The count begins again after a rest.
  service.replicas.failed(service.at('10.0.0.1'), 'broken')
  expect(service.chosen()).toContain('10.0.0.1')
})

it('G2 counts broken requests of the last 10 s', async () => {
  await service.start()
  const replica = service.at('10.0.0.1')
  const [begin, breakTwo] = [
    () => service.replicas.succeeded(replica),
    () => service.replicas.failed(replica, 'broken'),
  ]
  for (let index = 0; index < 4; index++) [breakTwo(), breakTwo(), begin()]
  await vi.advanceTimersByTimeAsync(BROKEN_SHARE_WINDOW_MS)
  for (let index = 0; index < 20; index++) begin()
  breakTwo()
  expect(service.chosen()).toEqual(['10.0.0.1', '10.0.0.2'])
})

it('G2 E7 chooses a draining replica when all others are ejected, and none that is frozen or reports not ready', async () => {
  await service.start()
  service.probes = { '10.0.0.1': 'failed', '10.0.0.2': 'not-ready' }
  await vi.advanceTimersByTimeAsync(PROBE_INTERVAL_MS * 10)
  expect(service.chosen()).toEqual(['none'])
  service.probes = { '10.0.0.1': 'failed', '10.0.0.2': 'draining' }
  await vi.advanceTimersByTimeAsync(PROBE_INTERVAL_MS * 3)
  expect(service.chosen()).toEqual(['10.0.0.2'])
  service.probes = { '10.0.0.1': 'failed', '10.0.0.2': 'ready' }
  await vi.advanceTimersByTimeAsync(PROBE_INTERVAL_MS * 3)
  service.probes = { '10.0.0.1': 'failed', '10.0.0.2': 'failed' }
  await vi.advanceTimersByTimeAsync(PROBE_INTERVAL_MS * 10)
  expect(service.chosen()).toEqual(['none'])
  service.probes = { '10.0.0.1': 'not-ready', '10.0.0.2': 'refused' }
  await vi.advanceTimersByTimeAsync(PROBE_INTERVAL_MS * 3)
  expect(service.chosen()).toEqual(['none'])
})

it('G2 prefers a slow replica to a draining one, and never chooses a draining one that refused a connection', async () => {
  await service.start()
  service.probes = { '10.0.0.1': 'failed', '10.0.0.2': 'draining' }
  await vi.advanceTimersByTimeAsync(PROBE_INTERVAL_MS)
  expect(service.chosen()).toEqual(['10.0.0.1'])
  service.replicas.failed(service.at('10.0.0.1'), 'refused')
  expect(service.chosen()).toEqual(['10.0.0.2'])
  service.replicas.failed(service.at('10.0.0.2'), 'refused')
  await vi.advanceTimersByTimeAsync(PROBE_INTERVAL_MS * 10)
  expect(service.chosen()).toEqual(['none'])
})
