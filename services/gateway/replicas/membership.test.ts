// A service with several URLs: replicas of one machine, and hosts that resolve to many (G2, K3).

import type { Probe, ProbeResult } from '@portico/shared/kit/life/replica-probe.ts'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { LOOKUP_INTERVAL_MS, PROBE_INTERVAL_MS } from '../testing.ts'
import { createReplicas, type Replicas } from './service-replicas.ts'

let replicas: Replicas
beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  replicas.close()
  vi.useRealTimers()
})

it('G2 K3 each URL of a list has its own members, probed at their own inner port', async () => {
  const probed: number[] = []
  let addresses = ['10.0.0.1', '10.0.0.2']
  let first: ProbeResult = 'refused'
  const at = (host: string, port: number, innerPort: number) => ({
    url: new URL(`http://${host}:${port}`),
    innerUrl: new URL(`http://${host}:${innerPort}`),
  })
  replicas = createReplicas({
    addresses: [at('127.0.0.1', 8081, 9091), at('127.0.0.1', 8082, 9092), at('service', 8080, 9090)],
    lookup: async (host) => (host === '127.0.0.1' ? [host] : addresses),
    probe: async (_address, port) => {
      probed.push(port)
      return { result: port === 9091 ? first : 'ready' }
    },
  })
  await replicas.start()
  const usable = () => new Set(Array.from({ length: 200 }, () => replicas.choose()?.name))
  const all = ['127.0.0.1:8081', '127.0.0.1:8082', '10.0.0.1:8080', '10.0.0.2:8080']
  expect(replicas.list().map(({ name }) => name)).toEqual(all)
  expect(probed).toEqual([9091, 9092, 9090, 9090])
  // Replicas of one address differ in the order of a key.
  expect(new Set(replicas.list().map(({ seed }) => seed)).size).toBe(4)
  expect(usable()).toEqual(new Set(all.slice(1)))
  // The process is back at its port, and the name does not resolve: no member is lost.
  first = 'ready'
  addresses = []
  await vi.advanceTimersByTimeAsync(LOOKUP_INTERVAL_MS * 2)
  expect(usable()).toEqual(new Set(all))
})

const SERVICE = [{ url: new URL('http://service:8080'), innerUrl: new URL('http://service:9090') }]

it('O12 G2 an address that the resolver has dropped is kept while the same process responds', async () => {
  const probes: Record<string, Probe> = {
    '10.0.0.1': { result: 'ready', instance: 'a' },
    '10.0.0.2': { result: 'ready', instance: 'b' },
    '10.0.0.3': { result: 'ready', instance: 'c' },
    '10.0.0.4': { result: 'ready' },
    '10.0.0.5': { result: 'ready', instance: 'e' },
  }
  let addresses = Object.keys(probes)
  replicas = createReplicas({
    addresses: SERVICE,
    lookup: async () => addresses,
    probe: async (address) => probes[address]!,
  })
  const known = () => replicas.list().map(({ address }) => address)
  await replicas.start()
  await vi.advanceTimersByTimeAsync(LOOKUP_INTERVAL_MS)
  addresses = ['10.0.0.5']
  probes['10.0.0.1'] = { result: 'draining', instance: 'a' }
  // Another container has the address, whose service is ready, too.
  probes['10.0.0.3'] = { result: 'ready', instance: 'x' }
  await vi.advanceTimersByTimeAsync(LOOKUP_INTERVAL_MS)
  // A process without a name cannot be told from another one.
  expect(known()).toEqual(['10.0.0.1', '10.0.0.2', '10.0.0.5'])
  probes['10.0.0.1'] = { result: 'not-ready', instance: 'a' }
  probes['10.0.0.2'] = { result: 'refused' }
  await vi.advanceTimersByTimeAsync(LOOKUP_INTERVAL_MS)
  expect(known()).toEqual(['10.0.0.5'])
})

it('O12 G2 an address that the resolver has dropped before it listed the address again is kept, too', async () => {
  let addresses = ['10.0.0.1']
  replicas = createReplicas({
    addresses: SERVICE,
    lookup: async () => addresses,
    probe: async (address) => ({ result: 'ready', instance: `process at ${address}` }),
  })
  await replicas.start()
  addresses = ['10.0.0.2']
  await vi.advanceTimersByTimeAsync(LOOKUP_INTERVAL_MS)
  addresses = ['10.0.0.3']
  await vi.advanceTimersByTimeAsync(LOOKUP_INTERVAL_MS)
  expect(replicas.list().map(({ address }) => address)).toEqual(['10.0.0.1', '10.0.0.2', '10.0.0.3'])
})

it('O12 probes tell a replica while the gateway has no other ready one of its build', async () => {
  const probes: Record<string, Probe> = {
    '10.0.0.1': { result: 'ready', version: 'b1.e' },
    '10.0.0.2': { result: 'ready', version: 'b1.e' },
    '10.0.0.3': { result: 'ready', version: 'b2.e' },
  }
  let relied: Record<string, unknown> = {}
  let isLeaving = false
  replicas = createReplicas({
    addresses: SERVICE,
    build: 'b1',
    isLeaving: () => isLeaving,
    lookup: async () => Object.keys(probes),
    async probe(address, _port, _timeoutMs, relying) {
      relied[address] = relying
      return probes[address]!
    },
  })
  const told = async () => {
    await vi.advanceTimersByTimeAsync(2 * PROBE_INTERVAL_MS)
    relied = {}
    await vi.advanceTimersByTimeAsync(PROBE_INTERVAL_MS)
    return Object.keys(probes).filter((address) => relied[address] === 'b1')
  }
  await replicas.start()
  expect(await told()).toEqual([])
  probes['10.0.0.1'] = { result: 'draining', version: 'b1.e' }
  expect(await told()).toEqual(['10.0.0.2'])
  probes['10.0.0.2'] = { result: 'draining', version: 'b1.e' }
  // It may be restarted with another build.
  expect(await told()).toEqual(['10.0.0.1', '10.0.0.2', '10.0.0.3'])
  isLeaving = true
  expect(await told()).toEqual([])
})
