// Two sides over a channel in memory.

import { describe, expect, it, vi } from 'vitest'
import { createCalls } from './calls.ts'

type Side = {
  double(value: number): number
  refuse(value: string): Promise<never>
  hang(value: undefined): Promise<void>
}

function connect(most = 2) {
  const handlers = {
    double: (value: number) => 2 * value,
    refuse: async (reason: string) => Promise.reject(new Error(reason)),
    hang: () => new Promise<void>(() => {}),
  } satisfies Side
  // As a channel does: later, and a copy.
  const later = (receive: (message: unknown) => void) => (message: unknown) =>
    void setImmediate(() => receive(structuredClone(message)))
  const caller = createCalls<Side>({ send: later((message) => callee.receive(message)), handlers: {}, most })
  const callee = createCalls<Side>({ send: later((message) => caller.receive(message)), handlers })
  return caller
}

describe('calls between processes', () => {
  it('return the result, or the reason of the other side', async () => {
    const { call } = connect()
    expect(await Promise.all([call('double', 3, 1000), call('double', 4, 1000)])).toEqual([6, 8])
    await expect(call('refuse', 'not now', 1000)).rejects.toThrow('not now')
    await expect(call('unheard' as 'double', 1, 1000)).rejects.toThrow('unheard is not a call')
  })

  it('end at their time limit, and a late result is ignored', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      const late = connect().call('hang', undefined, 50)
      const refused = expect(late).rejects.toThrow('hang: no response within 50 ms')
      await vi.advanceTimersByTimeAsync(50)
      await refused
    } finally {
      vi.useRealTimers()
    }
  })

  it('are bounded in number, and end with the channel', async () => {
    const { call, close, receive } = connect(2)
    const waiting = [call('hang', undefined, 60_000), call('hang', undefined, 60_000)]
    await expect(call('double', 1, 1000)).rejects.toThrow('2 calls wait already')
    close()
    for (const each of waiting) await expect(each).rejects.toThrow('the channel is closed')
    await expect(call('double', 1, 1000)).rejects.toThrow('the channel is closed')
    // Messages of others on the same channel.
    for (const message of [undefined, null, 'text', {}, { kind: 'call' }, { kind: 'other', id: 1 }]) receive(message)
  })
})
