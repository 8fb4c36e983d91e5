import { describe, expect, test } from 'vitest'
import { estimateCost } from '../testing.ts'
import { createQueue, QueueFullError, type QueueLimits, type WorkClass } from './queue.ts'

const LIMITS: QueueLimits = {
  slots: 1,
  memoryBytes: 1000,
  lengths: { viewer: 3, refresh: 2, 'warm-up': 1 },
  longestWaitMs: 1e8,
}

const SITE = { pattern: '', host: '' }

function setUp(changes: Partial<QueueLimits> = {}, now?: () => number) {
  const queue = createQueue({ ...LIMITS, ...changes }, now)
  const order: string[] = []
  const finish = new Map<string, () => void>()
  const push = (
    name: string,
    workClass: WorkClass = 'viewer',
    costBytes = 1,
    signal = new AbortController().signal,
  ) => {
    const pushed = queue.push({
      urgency: { class: workClass },
      origin: SITE,
      costBytes,
      signal,
      run: () => {
        order.push(name)
        return new Promise<string>((done) => finish.set(name, () => done(name)))
      },
    })
    pushed.catch(() => {})
    return pushed
  }
  const end = async (name: string) => {
    finish.get(name)?.()
    await new Promise((done) => setImmediate(done))
  }
  return { queue, order, push, end }
}

describe('the queue', () => {
  test('I7 serves viewers before refreshes before warm-up', async () => {
    const { order, push, end } = setUp()
    push('first')
    push('warm', 'warm-up')
    push('old', 'refresh')
    push('seen', 'viewer')
    for (const name of ['first', 'seen', 'old', 'warm']) await end(name)
    expect(order).toEqual(['first', 'seen', 'old', 'warm'])
  })

  test('I7 is bounded by class and reports when to retry', async () => {
    const { queue, push } = setUp()
    push('running')
    push('w1', 'warm-up')
    await expect(push('w2', 'warm-up')).rejects.toBeInstanceOf(QueueFullError)
    expect(queue.full('warm-up', SITE)?.retryAfterSeconds).toBeGreaterThanOrEqual(1)
    expect(queue.full('warm-up', SITE)?.rejection).toBe('queue-full')
    for (const name of ['v1', 'v2', 'v3']) push(name)
    await expect(push('v4')).rejects.toThrow('full')
    expect(queue.full('refresh', SITE)).toBeUndefined()
    expect(queue.waiting).toBe(4)
  })

  test('I7 treats an expected wait over the limit as a full queue', async () => {
    let clock = 0
    const { queue, push, end } = setUp(
      { longestWaitMs: 4000, lengths: { viewer: 100, refresh: 1, 'warm-up': 1 } },
      () => clock,
    )
    for (let index = 0; index < 12; index++) {
      push(`slow${index}`)
      clock += 2000
      await end(`slow${index}`)
    }
    push('running')
    push('a')
    push('b')
    push('c')
    const full = queue.full('viewer', SITE)
    expect(full?.retryAfterSeconds).toBeGreaterThanOrEqual(4)
    expect(full?.rejection).toBe('queue-wait')
    await expect(push('d')).rejects.toThrow('full')
  })

  test('I7 refuses a job that has waited too long', async () => {
    const { queue, order, push, end } = setUp({ longestWaitMs: 200 })
    push('running')
    const started = performance.now()
    await expect(push('late', 'refresh')).rejects.toMatchObject({ rejection: 'queue-late' })
    expect(performance.now() - started).toBeGreaterThan(190)
    expect(queue.waiting).toBe(0)
    await end('running')
    expect(order).toEqual(['running'])
  })

  test('I7 includes running jobs in the expected time', () => {
    let clock = 0
    const { queue, push } = setUp({ longestWaitMs: 4000 }, () => clock)
    push('running')
    push('a')
    expect(queue.full('viewer', SITE)).toBeUndefined()
    clock += 5000
    expect(queue.full('viewer', SITE)?.retryAfterSeconds).toBe(5)
  })

  test('I7 drops waiting work immediately when no client waits for it', async () => {
    const { queue, order, push, end } = setUp()
    push('running')
    const leaver = new AbortController()
    const dropped = push('dropped', 'viewer', 1, leaver.signal)
    push('kept')
    leaver.abort(new Error('no client'))
    await expect(dropped).rejects.toThrow('no client')
    expect(queue.waiting).toBe(1)
    await end('running')
    expect(order).toEqual(['running', 'kept'])
  })

  test('I7 limits memory: large jobs do not run at the same time, and no job starves', async () => {
    const { order, push, end, queue } = setUp({ slots: 3 })
    push('large', 'viewer', 900)
    push('larger', 'viewer', 5000)
    push('small', 'viewer', 1)
    expect(order).toEqual(['large'])
    await end('large')
    expect(order).toEqual(['large', 'larger'])
    await end('larger')
    expect(order).toEqual(['large', 'larger', 'small'])
    await end('small')
    expect(queue.running).toBe(0)
  })

  test('I7 continues after a failed job', async () => {
    const { queue, push, end } = setUp()
    const broken = queue.push({
      urgency: { class: 'viewer' },
      origin: SITE,
      costBytes: 1,
      signal: new AbortController().signal,
      run: () => Promise.reject(new Error('broken')),
    })
    const after = push('after')
    await expect(broken).rejects.toThrow('broken')
    await end('after')
    expect(await after).toBe('after')
  })

  test('I7 estimates a 3840 px AVIF at about 284 MB and a WebP at a fifth', () => {
    const size = { width: 3840, height: 2160 }
    const source = size.width * size.height * 4
    expect((estimateCost('avif', 3840, size) - source) / 1e6).toBeCloseTo(282, 0)
    expect((estimateCost('webp', 3840, size) - source) / 1e6).toBeCloseTo(58, 0)
    expect(estimateCost('avif', 640, size)).toBeLessThan(estimateCost('avif', 3840, size) / 4)
    expect(estimateCost('avif', 640, {})).toBeGreaterThan(0)
    expect(estimateCost('webp', 640, { ...size, type: 'image/tiff' })).toBeGreaterThan(16 * size.width * size.height)
  })
})
