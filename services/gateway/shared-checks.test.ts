import type { Probe, ProbeResult } from '@portico/shared/kit/life/replica-probe.ts'
import { expect, it } from 'vitest'
import { createSharedChecks } from './primary.ts'

function create() {
  const state = { now: 0, probes: 0, result: 'ready' as ProbeResult, lookups: 0, addresses: ['10.0.0.1'] }
  const checks = createSharedChecks(
    {
      async lookup() {
        state.lookups++
        return state.addresses
      },
      async probe() {
        state.probes++
        return { result: state.result, version: 'v1' }
      },
    },
    () => state.now,
  )
  return { state, probe: () => checks.probe('10.0.0.1', 9090, 750), lookup: () => checks.lookup('renderer') }
}

it('G2 workers share the probe of a ready replica for 250 ms, and learn its age', async () => {
  const { state, probe } = create()
  expect(await Promise.all([probe(), probe()])).toEqual([
    { result: 'ready', version: 'v1', ageMs: 0 },
    { result: 'ready', version: 'v1', ageMs: 0 },
  ])
  state.now = 249
  expect((await probe()).ageMs).toBe(249)
  expect(state.probes).toBe(1)
  state.now = 250
  expect((await probe()).ageMs).toBe(0)
  expect(state.probes).toBe(2)
})

it('G2 a probe that runs longer than 250 ms serves all workers that call meanwhile', async () => {
  const { promise, resolve } = Promise.withResolvers<Probe>()
  const state = { now: 0, probes: 0 }
  const run = () => {
    state.probes++
    return promise
  }
  const { probe } = createSharedChecks({ lookup: async () => [], probe: run }, () => state.now)
  const first = probe('10.0.0.1', 9090, 750)
  state.now = 700
  const second = probe('10.0.0.1', 9090, 750)
  resolve({ result: 'failed' })
  expect([(await first).ageMs, (await second).ageMs, state.probes]).toEqual([0, 700, 1])
})

it('G2 E7 a replica that is not ready is probed again for each call: requests wait for it', async () => {
  const { state, probe } = create()
  state.result = 'not-ready'
  await probe()
  state.result = 'ready'
  expect(await probe()).toMatchObject({ result: 'ready' })
})

it('G2 E7 shares look-ups that found addresses', async () => {
  const { state, lookup } = create()
  state.addresses = []
  await lookup()
  state.addresses = ['10.0.0.2']
  expect(await lookup()).toEqual(['10.0.0.2'])
  await lookup()
  expect(state.lookups).toBe(2)
})
