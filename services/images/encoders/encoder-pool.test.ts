import { fileURLToPath } from 'node:url'
import { bareEnvironment } from '@portico/shared/kit/testing/bare-environment.ts'
import { pino } from 'pino'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import type { EncodeWork } from './encoder-frames.ts'
import { createEncoderPool, type EncodeEnd, type EncoderPool, startEncoder } from './encoders.ts'

type EncoderPoolOptions = Parameters<typeof createEncoderPool>[0]

const log = pino({ level: 'silent' })
const BAD = fileURLToPath(new URL('../testing/bad-encoder.ts', import.meta.url))
const ENDS_AT_ONCE = fileURLToPath(new URL('../testing/exits-immediately.ts', import.meta.url))
const REFUSES = fileURLToPath(new URL('../testing/refuses-images.ts', import.meta.url))
const environment = bareEnvironment()

function badWork(quality: number): EncodeWork {
  return { source: Buffer.from('x'), target: 'avif', width: 1, quality, effort: { avif: 0, webp: 0 }, maximumPixels: 1 }
}

/** A child of Node may take seconds to start on a busy machine: no test but those that say so waits for the limit. */
const LONG_MS = 60_000
const limits = (encodeMs: number, waitMs = 60_000) => ({ encodeMs, waitMs })

/** The child that responded. */
function pidOf(end: EncodeEnd): string {
  return end.kind === 'encoded' ? end.body.toString() : end.kind
}

describe('encoder children that misbehave', () => {
  let pool: EncoderPool
  const open = (options: Partial<EncoderPoolOptions> = {}) => {
    pool = createEncoderPool({ slots: 1, log, start: () => startEncoder({ environment, script: BAD }), ...options })
  }
  afterEach(() => pool.close())

  test('I7 kills a hanging encoder at the deadline, and starts another one', async () => {
    open()
    const first = pidOf(await pool.run(badWork(9), limits(LONG_MS)))
    expect(await pool.run(badWork(1), limits(300))).toEqual({ kind: 'killed' })
    const next = pidOf(await pool.run(badWork(9), limits(LONG_MS)))
    expect(next).toMatch(/^\d+$/)
    expect(next).not.toBe(first)
    expect(() => process.kill(Number(first), 0)).toThrow()
  })

  test('I7 survives an encoder that dies of an image', async () => {
    open()
    expect((await pool.run(badWork(2), limits(LONG_MS))).kind).toBe('died')
    expect(pidOf(await pool.run(badWork(9), limits(LONG_MS)))).toMatch(/^\d+$/)
  })

  test('I7 distinguishes an encoder that was killed from outside from one that dies of its image', async () => {
    open()
    expect(await pool.run(badWork(4), limits(LONG_MS))).toEqual({ kind: 'stopped', reason: 'SIGKILL' })
    expect(pidOf(await pool.run(badWork(9), limits(LONG_MS)))).toMatch(/^\d+$/)
  })

  test('I7 replaces an encoder after its number of jobs', async () => {
    open({ jobsPerChild: 2 })
    const pids: string[] = []
    for (let index = 0; index < 4; index++) pids.push(pidOf(await pool.run(badWork(9), limits(LONG_MS))))
    expect(pids[0]).toBe(pids[1])
    expect(pids[2]).toBe(pids[3])
    expect(pids[0]).not.toBe(pids[2])
  })

  test('I7 replaces an encoder that holds too much memory', async () => {
    open()
    const first = pidOf(await pool.run(badWork(3), limits(LONG_MS)))
    expect(pidOf(await pool.run(badWork(9), limits(LONG_MS)))).not.toBe(first)
  })

  test('I7 runs as many jobs at the same time as there are slots', async () => {
    open({ slots: 2 })
    await pool.warm()
    const ends = await Promise.all([1, 2, 3, 4].map(() => pool.run(badWork(9), limits(LONG_MS))))
    expect(new Set(ends.map(pidOf)).size).toBe(2)
  })

  test('I7 a job that waits too long for an encoder ends without a fault', async () => {
    open()
    await pool.warm()
    const hanging = pool.run(badWork(1), limits(700))
    expect((await pool.run(badWork(9), limits(LONG_MS, 50))).kind).toBe('late')
    expect((await hanging).kind).toBe('killed')
    expect(pidOf(await pool.run(badWork(9), limits(LONG_MS)))).toMatch(/^\d+$/)
  })

  test.each([
    ['responds to another job than its own', 5],
    ['responds with rubbish', 6],
    ['closes its channel', 7],
  ])('I7 ends an encoder that %s, and settles the job', async (_what, quality) => {
    open()
    expect(await pool.run(badWork(quality), limits(60_000))).toEqual({ kind: 'stopped', reason: 'SIGKILL' })
    expect(pidOf(await pool.run(badWork(9), limits(LONG_MS)))).toMatch(/^\d+$/)
  })

  test('I7 a job whose source cannot be sent is settled', async () => {
    const child = startEncoder({ environment, script: BAD })
    const first = await child.first
    if (first.kind === 'failed') throw new Error(first.reason)
    process.kill(first.encoder.pid!, 'SIGKILL')
    const large = { ...badWork(9), source: Buffer.alloc(5_000_000) }
    expect(await first.encoder.run(large, 60_000)).toEqual({
      end: { kind: 'stopped', reason: 'SIGKILL' },
      next: undefined,
    })
  })

  test('I7 an encoder with a job accepts no other job', async () => {
    const child = startEncoder({ environment, script: BAD })
    const first = await child.first
    if (first.kind === 'failed') throw new Error(first.reason)
    const [one, other] = await Promise.all([
      first.encoder.run(badWork(9), LONG_MS),
      first.encoder.run(badWork(1), LONG_MS),
    ])
    expect(pidOf(one.end)).toBe(String(child.pid))
    expect(other).toEqual({ end: { kind: 'stopped', reason: 'this encoder has a job already' }, next: undefined })
    expect(pidOf((await one.next!.run(badWork(9), LONG_MS)).end)).toBe(String(child.pid))
    child.kill()
    await child.ended
    expect((await one.next!.run(badWork(9), LONG_MS)).end.kind).toBe('stopped')
  })

  test('O4 reports that no encoder can be started, and retries with a growing pause', async () => {
    const pauses: number[] = []
    const lines: Record<string, unknown>[] = []
    const end = Promise.withResolvers<void>()
    open({
      log: pino({ level: 'error' }, { write: (line: string) => void lines.push(JSON.parse(line)) }),
      start: () => startEncoder({ environment, script: pauses.length < 3 ? REFUSES : ENDS_AT_ONCE }),
      pause: async (milliseconds) => {
        if (pauses.push(milliseconds) === 8) await end.promise
      },
    })
    await expect.poll(() => pauses, { timeout: 100_000 }).toEqual([200, 400, 800, 1600, 3200, 5000, 5000, 5000])
    expect(lines[0]).toMatchObject({ event: 'encoder-failed', reason: 'tiny image: undecodable: VipsJpeg: no loader' })
    expect(lines[5]).toMatchObject({ reason: 'tiny image: died: exit code 1' })
    expect(pool.live).toBe(0)
    expect(pool.downMs).toBeGreaterThan(0)
    expect((await pool.run(badWork(9), limits(LONG_MS, 100))).kind).toBe('late')
    const waiting = pool.run(badWork(9), limits(60_000, 60_000))
    end.resolve()
    await pool.close()
    expect((await waiting).kind).toBe('late')
  })

  test('O4 a child whose process cannot be created is a failed start, not a fault of the service', async () => {
    // spawn refuses a null byte in a name before it creates a process.
    const child = startEncoder({ environment: { ...environment, BAD: 'a\0b' } })
    expect(await child.first).toMatchObject({ kind: 'failed', reason: expect.stringContaining('null bytes') })
    await child.ended
  })

  test('O4 is warm when each slot has tried and one encoder has encoded its first image', async () => {
    let starts = 0
    open({
      slots: 2,
      start: () => startEncoder({ environment, script: starts++ === 0 ? REFUSES : BAD }),
      pause: () => new Promise(() => {}),
    })
    await pool.warm()
    expect([pool.live, pool.downMs]).toEqual([1, 0])
  })

  test('I7 a replaced encoder is unavailable only for a moment', async () => {
    open({ jobsPerChild: 1 })
    await pool.run(badWork(9), limits(LONG_MS))
    expect(pool.live).toBe(0)
    expect(pool.downMs).toBeLessThan(1000)
    await expect.poll(() => pool.downMs, { timeout: LONG_MS }).toBe(0)
  })

  test('O5 ends all children when it closes', async () => {
    open({ slots: 2 })
    await pool.run(badWork(9), limits(LONG_MS))
    const { pids } = pool
    await pool.close()
    for (const pid of pids) expect(() => process.kill(pid, 0)).toThrow()
    expect((await pool.run(badWork(9), limits(100))).kind).toBe('stopped')
  })
})

describe('real encoder children', () => {
  const pool = createEncoderPool({ slots: 1, log, start: () => startEncoder({ environment }) })
  afterAll(() => pool.close())

  test('O4 encodes a tiny image before it counts as ready', async () => {
    await pool.warm()
    expect(pool.live).toBe(1)
  })

  test('I7 blocks the decoders of all other types', async () => {
    const source = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>')
    const end = await pool.run({ ...badWork(75), source, maximumPixels: 1000 }, limits(LONG_MS))
    expect(end.kind).toBe('undecodable')
  })
})
