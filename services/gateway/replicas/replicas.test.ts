import type { ProbeResult } from '@portico/shared/kit/life/replica-probe.ts'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  createReplicas,
  LOOKUP_INTERVAL_MS,
  PROBE_INTERVAL_MS,
  PROBE_TIMEOUT_MS,
  type Replica,
  type Replicas,
  type ReplicasOptions,
} from './replicas.ts'

const url = new URL('http://service:8080')
const innerUrl = new URL('http://service:9090')

let addresses: string[] = []
let probes: Record<string, ProbeResult | 'silent'> = {}
let changes: string[] = []
let replicas: Replicas

beforeEach(() => {
  vi.useFakeTimers()
  addresses = ['10.0.0.1', '10.0.0.2']
  probes = {}
  changes = []
})
afterEach(() => {
  replicas.close()
  vi.useRealTimers()
})

async function startReplicas(options: Partial<ReplicasOptions> = {}): Promise<Replicas> {
  replicas = createReplicas({
    addresses: [{ url, innerUrl }],
    lookup: async () => addresses,
    // A frozen replica never responds, and the probe ends at its limit.
    probe: (address, _port, timeoutMs) => {
      const result = probes[address] ?? 'ready'
      if (result !== 'silent') return Promise.resolve({ result })
      return new Promise((done) => setTimeout(() => done({ result: 'failed' }), timeoutMs))
    },
    now: () => performance.now(),
    onChange: (replica, state) => changes.push(`${replica.address} ${state}`),
    ...options,
  })
  await replicas.start()
  return replicas
}

/** The addresses that receive new requests now. */
function chosen(times = 200): string[] {
  const found = new Set<string>()
  for (let index = 0; index < times; index++) found.add(replicas.choose()?.address ?? 'none')
  return [...found].sort()
}

const replicaAt = (address: string): Replica => replicas.list().find((replica) => replica.address === address)!

describe('addresses', () => {
  it('G2 follows the resolver every two seconds and keeps running requests', async () => {
    await startReplicas()
    expect(chosen()).toEqual(['10.0.0.1', '10.0.0.2'])
    const leaving = replicaAt('10.0.0.1')
    replicas.begin(leaving)
    const destroy = vi.spyOn(leaving.agent, 'destroy')
    addresses = ['10.0.0.2', '10.0.0.3']
    await vi.advanceTimersByTimeAsync(LOOKUP_INTERVAL_MS)
    expect(chosen()).toEqual(['10.0.0.2', '10.0.0.3'])
    expect(destroy).not.toHaveBeenCalled()
    replicas.end(leaving)
    expect(destroy).toHaveBeenCalledOnce()
  })

  it('G2 keeps the known addresses while the resolver fails or returns none', async () => {
    let isBroken = false
    const lookup = async () => {
      if (isBroken) throw new Error('SERVFAIL')
      return addresses
    }
    await startReplicas({ lookup })
    isBroken = true
    await vi.advanceTimersByTimeAsync(LOOKUP_INTERVAL_MS * 2)
    expect(chosen()).toEqual(['10.0.0.1', '10.0.0.2'])
    isBroken = false
    addresses = []
    await vi.advanceTimersByTimeAsync(LOOKUP_INTERVAL_MS * 2)
    expect(chosen()).toEqual(['10.0.0.1', '10.0.0.2'])
  })

  it('G2 chooses nothing before any address is known', async () => {
    addresses = []
    await startReplicas()
    expect(replicas.choose()).toBeUndefined()
    addresses = ['10.0.0.9']
    await vi.advanceTimersByTimeAsync(LOOKUP_INTERVAL_MS)
    expect(replicas.choose()?.address).toBe('10.0.0.9')
  })
})

describe('health', () => {
  it('G2 ejects a frozen replica within 3 s and uses it again when it responds', async () => {
    await startReplicas()
    const onOut = vi.fn()
    replicas.begin(replicaAt('10.0.0.1'), onOut)
    probes['10.0.0.1'] = 'silent'
    await vi.advanceTimersByTimeAsync(2 * (PROBE_INTERVAL_MS + PROBE_TIMEOUT_MS) - 300)
    expect(replicas.stateOf(replicaAt('10.0.0.1'))).toBe('ready')
    await vi.advanceTimersByTimeAsync(3000 - (2 * (PROBE_INTERVAL_MS + PROBE_TIMEOUT_MS) - 300))
    expect(chosen()).toEqual(['10.0.0.2'])
    expect(onOut).toHaveBeenCalledOnce()
    replicas.end(replicaAt('10.0.0.1'))
    probes['10.0.0.1'] = 'ready'
    await vi.advanceTimersByTimeAsync(2000)
    expect(chosen()).toEqual(['10.0.0.1', '10.0.0.2'])
    expect(changes).toEqual(['10.0.0.1 ready', '10.0.0.2 ready', '10.0.0.1 failed', '10.0.0.1 ready'])
  })

  it('G2 notifies requests at a frozen replica whose address is no longer known', async () => {
    await startReplicas()
    const leaving = replicaAt('10.0.0.1')
    const onOut = vi.fn()
    replicas.begin(leaving, onOut)
    await vi.advanceTimersByTimeAsync(LOOKUP_INTERVAL_MS - 100)
    probes['10.0.0.1'] = 'silent'
    addresses = ['10.0.0.2']
    await vi.advanceTimersByTimeAsync(100)
    expect(chosen()).toEqual(['10.0.0.2'])
    await vi.advanceTimersByTimeAsync(2900)
    expect(onOut).toHaveBeenCalledOnce()
    replicas.end(leaving)
    const reported = changes.length
    await vi.advanceTimersByTimeAsync(5000)
    expect(changes).toHaveLength(reported)
  })

  it('G2 ignores one lost probe', async () => {
    await startReplicas()
    probes['10.0.0.1'] = 'failed'
    await vi.advanceTimersByTimeAsync(PROBE_INTERVAL_MS)
    probes['10.0.0.1'] = 'ready'
    await vi.advanceTimersByTimeAsync(PROBE_INTERVAL_MS * 3)
    expect(changes).toEqual(['10.0.0.1 ready', '10.0.0.2 ready'])
  })

  it('O5 sends no new requests to a draining replica within one probe', async () => {
    await startReplicas()
    probes['10.0.0.1'] = 'not-ready'
    await vi.advanceTimersByTimeAsync(PROBE_INTERVAL_MS)
    expect(chosen()).toEqual(['10.0.0.2'])
  })

  it('G2 ejects a replica that refuses connections immediately, and for longer each time', async () => {
    await startReplicas()
    const replica = replicaAt('10.0.0.1')
    for (const pauseMs of [1000, 2000, 4000, 8000, 10_000, 10_000]) {
      replicas.failed(replica, 'refused')
      // Many requests that fail at the same moment count as one failure.
      replicas.failed(replica, 'refused')
      expect(chosen()).toEqual(['10.0.0.2'])
      await vi.advanceTimersByTimeAsync(pauseMs - 100)
      expect(chosen()).toEqual(['10.0.0.2'])
      await vi.advanceTimersByTimeAsync(200)
      expect(chosen()).toEqual(['10.0.0.1', '10.0.0.2'])
    }
    replicas.succeeded(replica)
    replicas.failed(replica, 'refused')
    await vi.advanceTimersByTimeAsync(1100)
    expect(chosen()).toEqual(['10.0.0.1', '10.0.0.2'])
  })

  it('G2 ejects a replica after three broken requests in a row, not after three in a thousand', async () => {
    await startReplicas()
    const replica = replicaAt('10.0.0.1')
    for (let index = 0; index < 10; index++) {
      replicas.failed(replica, 'broken')
      replicas.failed(replica, 'broken')
      replicas.succeeded(replica)
    }
    expect(chosen()).toEqual(['10.0.0.1', '10.0.0.2'])
    for (let index = 0; index < 3; index++) replicas.failed(replica, 'broken')
    expect(chosen()).toEqual(['10.0.0.2'])
  })

  it('G2 E7 chooses a late replica when all are ejected, and never one that reports not ready', async () => {
    await startReplicas()
    probes = { '10.0.0.1': 'failed', '10.0.0.2': 'not-ready' }
    await vi.advanceTimersByTimeAsync(PROBE_INTERVAL_MS * 3)
    expect(chosen()).toEqual(['10.0.0.1'])
    probes = { '10.0.0.1': 'failed', '10.0.0.2': 'failed' }
    await vi.advanceTimersByTimeAsync(PROBE_INTERVAL_MS * 3)
    expect(chosen()).toEqual(['10.0.0.1', '10.0.0.2'])
    probes = { '10.0.0.1': 'not-ready', '10.0.0.2': 'refused' }
    await vi.advanceTimersByTimeAsync(PROBE_INTERVAL_MS * 3)
    expect(chosen()).toEqual(['none'])
  })

  it.each(['not-ready', 'refused'] as const)('G2 E7 chooses no sole replica that is %s', async (probe) => {
    addresses = ['10.0.0.1']
    probes = { '10.0.0.1': probe }
    await startReplicas()
    expect(chosen()).toEqual(['none'])
    expect(replicas.areRefused()).toBe(probe === 'refused')
    probes = {}
    replicas.hurry()
    await vi.advanceTimersByTimeAsync(0)
    expect(chosen()).toEqual(['10.0.0.1'])
  })

  it('G2 E7 chooses a sole replica whose connection was refused when a later probe finds it ready', async () => {
    addresses = ['10.0.0.1']
    await startReplicas()
    await vi.advanceTimersByTimeAsync(10)
    replicas.failed(replicaAt('10.0.0.1'), 'refused')
    expect([chosen(), replicas.areRefused()]).toEqual([['none'], true])
    replicas.hurry()
    await vi.advanceTimersByTimeAsync(0)
    expect([chosen(), replicas.areRefused()]).toEqual([['10.0.0.1'], false])
  })

  it('G2 E7 finds a new address immediately for waiting requests', async () => {
    addresses = []
    await startReplicas()
    addresses = ['10.0.0.9']
    replicas.hurry()
    await vi.advanceTimersByTimeAsync(0)
    expect(chosen()).toEqual(['10.0.0.9'])
  })

  it('G2 does not notify waiting requests when no other replica is ready', async () => {
    addresses = ['10.0.0.1']
    await startReplicas()
    const onOut = vi.fn()
    replicas.begin(replicaAt('10.0.0.1'), onOut)
    probes['10.0.0.1'] = 'failed'
    await vi.advanceTimersByTimeAsync(3000)
    expect(replicas.stateOf(replicaAt('10.0.0.1'))).toBe('failed')
    expect(onOut).not.toHaveBeenCalled()
  })
})

describe('choice', () => {
  it('G2 chooses the less busy of two and spreads evenly', async () => {
    addresses = ['10.0.0.1', '10.0.0.2', '10.0.0.3', '10.0.0.4']
    await startReplicas()
    for (let index = 0; index < 400; index++) replicas.begin(replicas.choose()!)
    const loads = replicas.list().map(({ inFlight }) => inFlight)
    expect(Math.max(...loads) - Math.min(...loads)).toBeLessThan(8)
  })

  it('G2 skips the replica that failed the request', async () => {
    await startReplicas()
    const except = replicaAt('10.0.0.1')
    for (let index = 0; index < 50; index++) expect(replicas.choose({ except })?.address).toBe('10.0.0.2')
    addresses = ['10.0.0.1']
    await vi.advanceTimersByTimeAsync(LOOKUP_INTERVAL_MS)
    expect(replicas.choose({ except: replicaAt('10.0.0.1') })).toBeUndefined()
  })

  it('G2 keeps a key at one replica, moves few keys for a new replica, and spreads keys evenly', async () => {
    addresses = ['10.0.0.1', '10.0.0.2', '10.0.0.3', '10.0.0.4']
    await startReplicas()
    const keys = Array.from({ length: 4000 }, (_, index) => `640 75 /image-${index}.png`)
    const place = () => new Map(keys.map((key) => [key, replicas.choose({ key })?.address]))
    const before = place()
    expect(place()).toEqual(before)
    for (const address of addresses) {
      const share = [...before.values()].filter((at) => at === address).length
      expect(share).toBeGreaterThan(850)
      expect(share).toBeLessThan(1150)
    }
    addresses.push('10.0.0.5')
    await vi.advanceTimersByTimeAsync(LOOKUP_INTERVAL_MS)
    const moved = [...place()].filter(([key, at]) => at !== before.get(key))
    expect(moved.every(([, at]) => at === '10.0.0.5')).toBe(true)
    expect(moved.length).toBeGreaterThan(600)
    expect(moved.length).toBeLessThan(1000)
  })

  it('G2 moves a hashed choice to another replica when its replica holds more than its share', async () => {
    await startReplicas()
    const first = replicas.choose({ key: 'hot' })!
    for (let index = 0; index < 10; index++) replicas.begin(first)
    expect(replicas.choose({ key: 'hot' })).not.toBe(first)
    for (let index = 0; index < 10; index++) replicas.end(first)
    expect(replicas.choose({ key: 'hot' })).toBe(first)
  })
})
