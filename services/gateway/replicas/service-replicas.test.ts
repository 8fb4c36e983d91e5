import { FROZEN_AFTER_MS, GIVEN_UP_AFTER_MS } from '@portico/shared/wire/constants.ts'
import { describe, expect, it, vi } from 'vitest'
import { useService } from '../testing/replicas-fixture.ts'
import { LOOKUP_INTERVAL_MS, PROBE_TIMEOUT_MS } from '../testing.ts'
import type { ReplicaAgent } from './agent.ts'
import { PROBE_INTERVAL_MS, type Replica } from './service-replicas.ts'

const service = useService()
// createReplicas makes the agents of its replicas.
const connectingOf = ({ agent }: Replica) => vi.spyOn(agent as ReplicaAgent, 'leaveConnecting')

describe('addresses', () => {
  it('G2 follows the resolver every two seconds and keeps running requests', async () => {
    await service.start()
    expect(service.chosen()).toEqual(['10.0.0.1', '10.0.0.2'])
    const leaving = service.at('10.0.0.1')
    service.replicas.begin(leaving)
    const destroy = vi.spyOn(leaving.agent, 'destroy')
    service.addresses = ['10.0.0.2', '10.0.0.3']
    await vi.advanceTimersByTimeAsync(LOOKUP_INTERVAL_MS)
    expect(service.chosen()).toEqual(['10.0.0.2', '10.0.0.3'])
    expect(destroy).not.toHaveBeenCalled()
    service.replicas.end(leaving)
    expect(destroy).toHaveBeenCalledOnce()
  })

  it('G2 keeps the known addresses while the resolver fails or returns none', async () => {
    let isBroken = false
    const lookup = async () => {
      if (isBroken) throw new Error('SERVFAIL')
      return service.addresses
    }
    await service.start({ lookup })
    isBroken = true
    await vi.advanceTimersByTimeAsync(LOOKUP_INTERVAL_MS * 2)
    expect(service.chosen()).toEqual(['10.0.0.1', '10.0.0.2'])
    isBroken = false
    service.addresses = []
    await vi.advanceTimersByTimeAsync(LOOKUP_INTERVAL_MS * 2)
    expect(service.chosen()).toEqual(['10.0.0.1', '10.0.0.2'])
  })

  it('G2 chooses nothing before any address is known', async () => {
    service.addresses = []
    await service.start()
    expect(service.replicas.choose()).toBeUndefined()
    service.addresses = ['10.0.0.9']
    await vi.advanceTimersByTimeAsync(LOOKUP_INTERVAL_MS)
    expect(service.replicas.choose()?.address).toBe('10.0.0.9')
  })
})

describe('health', () => {
  it('G2 prefers others to a frozen replica after one late probe, ejects it after 3 s, and uses it when it responds', async () => {
    await service.start()
    const onOut = vi.fn()
    const leaveConnecting = connectingOf(service.at('10.0.0.1'))
    service.replicas.begin(service.at('10.0.0.1'), onOut)
    service.probes['10.0.0.1'] = 'silent'
    await vi.advanceTimersByTimeAsync(PROBE_INTERVAL_MS + PROBE_TIMEOUT_MS)
    expect(service.chosen()).toEqual(['10.0.0.2'])
    const frozen = () => onOut.mock.calls.filter(([why]) => why === 'frozen').length
    expect([leaveConnecting.mock.calls.length, frozen()]).toEqual([1, 0])
    await vi.advanceTimersByTimeAsync(FROZEN_AFTER_MS - PROBE_INTERVAL_MS - PROBE_TIMEOUT_MS - 100)
    expect([service.replicas.stateOf(service.at('10.0.0.1')), frozen()]).toEqual(['ready', 0])
    await vi.advanceTimersByTimeAsync(100 + PROBE_INTERVAL_MS)
    expect([service.replicas.stateOf(service.at('10.0.0.1')), frozen() > 0]).toEqual(['failed', true])
    service.replicas.end(service.at('10.0.0.1'))
    service.probes['10.0.0.1'] = 'ready'
    await vi.advanceTimersByTimeAsync(2000)
    expect(service.chosen()).toEqual(['10.0.0.1', '10.0.0.2'])
    expect(service.changes).toEqual(['10.0.0.1 ready', '10.0.0.2 ready', '10.0.0.1 failed', '10.0.0.1 ready'])
  })

  it('G2 keeps a busy replica whose probes are late while bytes of any response arrive', async () => {
    await service.start()
    const [busy, onOut] = [service.at('10.0.0.1'), vi.fn()]
    service.replicas.begin(busy, onOut)
    service.replicas.begin(service.at('10.0.0.2'))
    service.probes['10.0.0.1'] = 'silent'
    for (let step = 0; step < 50; step++) {
      service.replicas.heard(busy)
      await vi.advanceTimersByTimeAsync(600)
    }
    expect(service.chosen()).toEqual(['10.0.0.1', '10.0.0.2'])
    expect([service.replicas.stateOf(busy), onOut.mock.calls.length]).toEqual(['ready', 0])
    service.replicas.end(busy, onOut)
  })

  it('G2 does not count a probe as late whose time passed while the gateway was busy', async () => {
    let elapsed = 0
    await service.start({ now: () => performance.now() + elapsed })
    service.probes['10.0.0.1'] = 'silent'
    await vi.advanceTimersByTimeAsync(PROBE_INTERVAL_MS)
    elapsed = 20_000
    service.probes['10.0.0.1'] = 'ready'
    await vi.advanceTimersByTimeAsync(PROBE_TIMEOUT_MS)
    expect(service.replicas.stateOf(service.at('10.0.0.1'))).toBe('ready')
    expect(service.chosen()).toEqual(['10.0.0.1', '10.0.0.2'])
  })

  it('G2 notifies requests at a frozen replica whose address is no longer known', async () => {
    await service.start()
    const leaving = service.at('10.0.0.1')
    const onOut = vi.fn()
    const leaveConnecting = connectingOf(leaving)
    service.replicas.begin(leaving, onOut)
    await vi.advanceTimersByTimeAsync(LOOKUP_INTERVAL_MS - 100)
    service.probes['10.0.0.1'] = 'silent'
    service.addresses = ['10.0.0.2']
    await vi.advanceTimersByTimeAsync(100)
    expect(service.chosen()).toEqual(['10.0.0.2'])
    // Immediately, for a request whose connection is not made.
    expect([leaveConnecting.mock.calls.length, onOut.mock.calls.length]).toEqual([1, 0])
    await vi.advanceTimersByTimeAsync(FROZEN_AFTER_MS + 2 * PROBE_INTERVAL_MS)
    expect(onOut).toHaveBeenLastCalledWith('frozen')
    service.replicas.end(leaving)
    const reported = service.changes.length
    await vi.advanceTimersByTimeAsync(5000)
    expect(service.changes).toHaveLength(reported)
  })

  it('E7 gives up a frozen replica after 6 s only where no other one is ready, and under development never', async () => {
    const endsOf = async (probes: Record<string, 'silent'>, isPatient = false) => {
      service.probes = {}
      await service.start({ isPatient })
      const onOut = vi.fn()
      service.replicas.begin(service.at('10.0.0.1'), onOut)
      Object.assign(service.probes, probes)
      await vi.advanceTimersByTimeAsync(GIVEN_UP_AFTER_MS - PROBE_INTERVAL_MS)
      const before = onOut.mock.calls.flat()
      await vi.advanceTimersByTimeAsync(2 * PROBE_INTERVAL_MS)
      service.replicas.end(service.at('10.0.0.1'), onOut)
      const isGivenUp = onOut.mock.calls.flat().includes('given-up')
      service.replicas.close()
      return [before.includes('given-up'), isGivenUp, service.replicas.choose()?.address]
    }
    expect(await endsOf({ '10.0.0.1': 'silent' })).toEqual([false, false, '10.0.0.2'])
    expect(await endsOf({ '10.0.0.1': 'silent', '10.0.0.2': 'silent' })).toEqual([false, true, undefined])
    expect(await endsOf({ '10.0.0.1': 'silent', '10.0.0.2': 'silent' }, true)).toEqual([false, false, undefined])
  })

  it('G2 ignores one lost probe', async () => {
    await service.start()
    service.probes['10.0.0.1'] = 'failed'
    await vi.advanceTimersByTimeAsync(PROBE_INTERVAL_MS)
    service.probes['10.0.0.1'] = 'ready'
    await vi.advanceTimersByTimeAsync(PROBE_INTERVAL_MS * 3)
    expect(service.changes).toEqual(['10.0.0.1 ready', '10.0.0.2 ready'])
  })

  it('O5 sends no new requests to a draining replica within one probe', async () => {
    await service.start()
    service.probes['10.0.0.1'] = 'not-ready'
    await vi.advanceTimersByTimeAsync(PROBE_INTERVAL_MS)
    expect(service.chosen()).toEqual(['10.0.0.2'])
  })

  it.each(['not-ready', 'refused'] as const)('G2 E7 chooses no sole replica that is %s', async (probe) => {
    service.addresses = ['10.0.0.1']
    service.probes = { '10.0.0.1': probe }
    await service.start()
    expect(service.chosen()).toEqual(['none'])
    expect(service.replicas.areRefused()).toBe(probe === 'refused')
    service.probes = {}
    service.replicas.hurry()
    await vi.advanceTimersByTimeAsync(0)
    expect(service.chosen()).toEqual(['10.0.0.1'])
  })

  it('G2 E7 chooses a sole replica whose connection was refused when a later probe finds it ready', async () => {
    service.addresses = ['10.0.0.1']
    await service.start()
    await vi.advanceTimersByTimeAsync(10)
    service.replicas.failed(service.at('10.0.0.1'), 'refused')
    // It was ready before: it starts again.
    expect([service.chosen(), service.replicas.areRefused()]).toEqual([['none'], false])
    service.replicas.hurry()
    await vi.advanceTimersByTimeAsync(0)
    expect([service.chosen(), service.replicas.areRefused()]).toEqual([['10.0.0.1'], false])
  })

  it('E7 starts again, and is not refused, while a new address refuses in the place of one that was ready', async () => {
    service.addresses = ['10.0.0.1']
    await service.start()
    service.addresses = ['10.0.0.9']
    service.probes['10.0.0.9'] = 'refused'
    await vi.advanceTimersByTimeAsync(LOOKUP_INTERVAL_MS)
    expect([service.chosen(), service.replicas.areRefused()]).toEqual([['none'], false])
  })

  it('G2 E7 finds a new address immediately for waiting requests', async () => {
    service.addresses = []
    await service.start()
    service.addresses = ['10.0.0.9']
    service.replicas.hurry()
    await vi.advanceTimersByTimeAsync(0)
    expect(service.chosen()).toEqual(['10.0.0.9'])
  })

  it('G2 does not notify waiting requests when no other replica is ready', async () => {
    service.addresses = ['10.0.0.1']
    await service.start()
    const onOut = vi.fn()
    service.replicas.begin(service.at('10.0.0.1'), onOut)
    service.probes['10.0.0.1'] = 'failed'
    await vi.advanceTimersByTimeAsync(FROZEN_AFTER_MS + PROBE_INTERVAL_MS)
    expect(service.replicas.stateOf(service.at('10.0.0.1'))).toBe('failed')
    expect(onOut).not.toHaveBeenCalled()
  })
})
