import { fileURLToPath } from 'node:url'
import { pino } from 'pino'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { halves } from '../testing/pictures.ts'
import type { EncodeWork } from './encoder-messages.ts'
import { createEncoderPool, type EncoderPool, type EncoderPoolOptions } from './encoder-pool.ts'
import { type EncodeEnd, startEncoder } from './encoder-process.ts'

const log = pino({ level: 'silent' })
const BAD = fileURLToPath(new URL('../testing/bad-encoder.ts', import.meta.url))
const ENDS_AT_ONCE = fileURLToPath(new URL('../testing/ends-at-once.ts', import.meta.url))
const environment = { PATH: process.env.PATH ?? '' }

function badWork(quality: number): EncodeWork {
  return { source: Buffer.from('x'), target: 'avif', width: 1, quality, effort: { avif: 0, webp: 0 }, maximumPixels: 1 }
}

/** Which child answered. */
function pidOf(end: EncodeEnd): string {
  return end.kind === 'encoded' ? end.body.toString() : end.kind
}

describe('encoder children that misbehave', () => {
  let pool: EncoderPool
  const open = (options: Partial<EncoderPoolOptions> = {}) => {
    pool = createEncoderPool({ slots: 1, log, start: () => startEncoder({ environment, script: BAD }), ...options })
  }
  afterEach(() => pool.close())

  test('I7 kills an encoder at the deadline, though it hears nothing, and has another one', async () => {
    open()
    const first = pidOf(await pool.run(badWork(9), 5000))
    const started = performance.now()
    expect(await pool.run(badWork(1), 300)).toEqual({ kind: 'killed' })
    expect(performance.now() - started).toBeLessThan(1500)
    const next = pidOf(await pool.run(badWork(9), 5000))
    expect(next).toMatch(/^\d+$/)
    expect(next).not.toBe(first)
    expect(() => process.kill(Number(first), 0)).toThrow()
  })

  test('I7 outlives an encoder that dies of a picture', async () => {
    open()
    expect((await pool.run(badWork(2), 5000)).kind).toBe('died')
    expect(pidOf(await pool.run(badWork(9), 5000))).toMatch(/^\d+$/)
  })

  test('I7 tells an encoder that was ended from outside from one that dies of its picture', async () => {
    open()
    expect(await pool.run(badWork(4), 5000)).toEqual({ kind: 'stopped', reason: 'SIGKILL' })
    expect(pidOf(await pool.run(badWork(9), 5000))).toMatch(/^\d+$/)
  })

  test('I7 replaces an encoder after its number of jobs', async () => {
    open({ jobsPerChild: 2 })
    const pids: string[] = []
    for (let index = 0; index < 4; index++) pids.push(pidOf(await pool.run(badWork(9), 5000)))
    expect(pids[0]).toBe(pids[1])
    expect(pids[2]).toBe(pids[3])
    expect(pids[0]).not.toBe(pids[2])
  })

  test('I7 replaces an encoder that holds too much memory', async () => {
    open()
    const first = pidOf(await pool.run(badWork(3), 5000))
    expect(pidOf(await pool.run(badWork(9), 5000))).not.toBe(first)
  })

  test('I7 runs as many jobs at once as there are slots', async () => {
    open({ slots: 2 })
    await pool.warm()
    const ends = await Promise.all([1, 2, 3, 4].map(() => pool.run(badWork(9), 5000)))
    expect(new Set(ends.map(pidOf)).size).toBe(2)
  })

  test('I7 a job that waits longer than its time for an encoder is given up without harm', async () => {
    open()
    // On a busy machine its start alone may take longer than the first job has.
    await expect.poll(() => pool.live, { timeout: 10_000 }).toBe(1)
    const hanging = pool.run(badWork(1), 700)
    expect((await pool.run(badWork(9), 50)).kind).toBe('late')
    expect((await hanging).kind).toBe('killed')
    expect(pidOf(await pool.run(badWork(9), 5000))).toMatch(/^\d+$/)
  })

  test('O4 tells that no encoder can be started', async () => {
    open({ start: () => startEncoder({ environment, script: ENDS_AT_ONCE }) })
    await expect(pool.warm()).rejects.toThrow('the encoder ended')
    expect(pool.live).toBe(0)
    expect(pool.downMs).toBeGreaterThan(0)
    expect((await pool.run(badWork(9), 100)).kind).toBe('late')
    const waiting = pool.run(badWork(9), 60_000)
    await pool.close()
    expect((await waiting).kind).toBe('late')
  })

  test('I7 an encoder that is replaced is away for a moment only', async () => {
    open({ jobsPerChild: 1 })
    await pool.run(badWork(9), 5000)
    expect(pool.live).toBe(0)
    expect(pool.downMs).toBeLessThan(1000)
    await expect.poll(() => pool.downMs, { timeout: 5000 }).toBe(0)
  })

  test('O5 ends all children when it closes', async () => {
    open({ slots: 2 })
    await pool.run(badWork(9), 5000)
    const { pids } = pool
    await pool.close()
    for (const pid of pids) expect(() => process.kill(pid, 0)).toThrow()
    expect((await pool.run(badWork(9), 100)).kind).toBe('stopped')
  })
})

describe('real encoder children', () => {
  const pool = createEncoderPool({ slots: 1, log, start: () => startEncoder({ environment }) })
  afterAll(() => pool.close())

  test('O4 answers a tiny picture before it counts as ready', async () => {
    await pool.warm()
    expect(pool.live).toBe(1)
  })

  test('I7 blocks the decoders of every type that is not wanted', async () => {
    for (const source of [
      await halves(10, 10, 'tiff'),
      Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'),
    ]) {
      const end = await pool.run({ ...badWork(75), source, maximumPixels: 1000 }, 5000)
      expect(end.kind).toBe('undecodable')
    }
  })
})
