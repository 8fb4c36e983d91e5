// A service with several URLs: replicas of one machine, and hosts that resolve to many (G2, K3).

import type { ProbeResult } from '@portico/shared/kit/life/replica-probe.ts'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { LOOKUP_INTERVAL_MS } from '../testing.ts'
import { createReplicas, type Replicas } from './replicas.ts'

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
