// Each response belongs to its request while other children start, warm up or are killed (I7): real children, real
// sharp.

import { bareEnvironment } from '@portico/shared/kit/testing/bare-environment.ts'
import { runs } from '@portico/shared/kit/testing/runs.ts'
import fc from 'fast-check'
import { pino } from 'pino'
import sharp from 'sharp'
import { beforeAll, expect, test } from 'vitest'
import type { EncodeWork } from './encoder-frames.ts'
import { createEncoderPool, type EncodeEnd, type EncoderPool, startEncoder } from './encoders.ts'

const environment = bareEnvironment()
const log = pino({ level: 'silent' })
const JOBS = runs(20, 100)
const LIMITS = { waitMs: 60_000, encodeMs: 60_000 }

/** Sources of one colour each; the larger ones fill the pipe many times. */
const sources: { level: number; body: Buffer }[] = []
beforeAll(async () => {
  for (const [at, level] of [16, 64, 112, 160, 208, 240].entries()) {
    const size = at % 2 === 0 ? 70 : 400
    const background = { r: level, g: level, b: level }
    const image = sharp({ create: { width: size, height: size, channels: 3, background } })
    sources.push({ level, body: await image.png({ compressionLevel: 0 }).toBuffer() })
  }
})

interface Job {
  source: number
  width: number
  /** Turns of the event loop before the job is pushed. */
  after: number
}
const job = fc.record({
  source: fc.nat({ max: 5 }),
  width: fc.integer({ min: 1, max: 64 }),
  after: fc.nat({ max: 40 }),
})
const jobs = fc.array(job, { minLength: JOBS, maxLength: JOBS })

function workOf({ source, width }: Job): EncodeWork {
  const effort = { avif: 0, webp: 0 }
  return { source: sources[source]!.body, target: 'webp', width, quality: 95, effort, maximumPixels: 1e6 }
}

async function push(pool: EncoderPool, one: Job): Promise<EncodeEnd> {
  for (let turn = 0; turn < one.after; turn++) await new Promise((done) => setImmediate(done))
  return pool.run(workOf(one), LIMITS)
}

/** Fails unless the response belongs to this job. */
async function expectResponse(end: EncodeEnd, { source, width }: Job): Promise<void> {
  if (end.kind !== 'encoded') throw new Error(`ended as ${JSON.stringify(end)}`)
  const { width: decoded } = await sharp(end.body).metadata()
  const { channels } = await sharp(end.body).stats()
  expect([end.width, decoded]).toEqual([width, width])
  expect(Math.abs(channels[0]!.mean - sources[source]!.level)).toBeLessThan(8)
}

function endNow(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // The pool notices the end a moment after the system.
  }
}

test('I7 100 jobs during warm() each get their own response, while the pool starts and while it works', async () => {
  await fc.assert(
    fc.asyncProperty(jobs, fc.integer({ min: 1, max: 2 }), fc.nat({ max: 40 }), async (all, slots, warmAfter) => {
      const pool = createEncoderPool({ slots, log, start: () => startEncoder({ environment }) })
      const warm = async () => {
        for (let turn = 0; turn < warmAfter; turn++) await new Promise((done) => setImmediate(done))
        await pool.warm()
      }
      try {
        const [ends] = await Promise.all([Promise.all(all.map((one) => push(pool, one))), warm(), pool.warm()])
        await Promise.all(ends.map((end, at) => expectResponse(end, all[at]!)))
      } finally {
        await pool.close()
      }
    }),
    { numRuns: runs(1, 8) },
  )
}, 120_000)

test('I7 jobs of children that are killed or replaced all settle, and no job gets the response of another', async () => {
  await fc.assert(
    fc.asyncProperty(jobs, fc.array(fc.nat({ max: 400 }), { maxLength: runs(4, 12) }), async (all, kills) => {
      const pool = createEncoderPool({ slots: 2, jobsPerChild: 9, log, start: () => startEncoder({ environment }) })
      const timers = kills.map((afterMs) => setTimeout(() => pool.pids.slice(0, 1).forEach(endNow), afterMs))
      try {
        const ends = await Promise.all(all.map((one) => push(pool, one)))
        for (const [at, end] of ends.entries()) if (end.kind !== 'stopped') await expectResponse(end, all[at]!)
        expect(ends.filter(({ kind }) => kind === 'stopped').length).toBeLessThanOrEqual(kills.length)
      } finally {
        for (const timer of timers) clearTimeout(timer)
        await pool.close()
      }
    }),
    { numRuns: runs(1, 8) },
  )
}, 120_000)
