// Requests at a steady pace, whatever the answers take, and what their times tell.
//
//   node infra/bench/pace.ts <url> <requests a second> <seconds>    prints {"p50":…,"p99":…,"failed":…}, times in milliseconds

import { execFileSync } from 'node:child_process'
import { Agent, request as sendRequest } from 'node:http'

export interface Pace {
  perSecond: number
  count: number
}

/**
 * Calls `one` with 0, 1, 2 … at its due time; resolves when all are done. Late answers delay no other (open loop).
 * `dueAt` is in milliseconds of performance.now(): times counted from it hold what a late start hides.
 */
export async function steadily(
  { perSecond, count }: Pace,
  one: (at: number, dueAt: number) => Promise<void>,
): Promise<void> {
  const started = performance.now()
  const all: Promise<void>[] = []
  for (let at = 0; at < count; at++) {
    const dueAt = started + (at * 1000) / perSecond
    const waitMs = dueAt - performance.now()
    if (waitMs > 0) await new Promise((done) => setTimeout(done, waitMs))
    all.push(one(at, dueAt))
  }
  await Promise.all(all)
}

/** The smallest value that this share of all values does not exceed. */
export function percentile(values: number[], share: number): number {
  const sorted = [...values].sort((left, right) => left - right)
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN
}

/** Milliseconds in words. */
export function describeTimes(values: number[]): string {
  const [half, most] = [0.5, 0.99].map((share) => percentile(values, share).toFixed(1).padStart(5))
  return `p50 ${half} ms, p99 ${most} ms`
}

export interface PaceFigures {
  p50: number
  p99: number
  /** Requests without an answer: the machine or the hop does not carry the rate, and the times tell nothing. */
  failed: number
}

/** Times of answers of one address, from their due time, measured by a process of its own. */
export function measurePace(url: string, perSecond: number, seconds: number): PaceFigures {
  const output = execFileSync(process.execPath, [import.meta.filename, url, String(perSecond), String(seconds)])
  // Written below.
  return JSON.parse(output.toString()) as PaceFigures
}

if (import.meta.main) {
  const [url = '', perSecond, seconds] = process.argv.slice(2)
  process.stdout.write(JSON.stringify(await figuresOf(url, Number(perSecond), Number(seconds))))
}

async function figuresOf(url: string, perSecond: number, seconds: number): Promise<PaceFigures> {
  const agent = new Agent({ keepAlive: true })
  const times: number[] = []
  let failed = 0
  const ask = (_at: number, dueAt: number): Promise<void> =>
    new Promise((done) => {
      const request = sendRequest(url, { agent }, (response) => {
        response.resume().on('end', () => {
          times.push(performance.now() - dueAt)
          done()
        })
      })
      request.on('error', () => {
        failed++
        done()
      })
      request.end()
    })
  await steadily({ perSecond, count: perSecond }, ask)
  times.length = 0
  await steadily({ perSecond, count: perSecond * seconds }, ask)
  agent.destroy()
  return { p50: percentile(times, 0.5), p99: percentile(times, 0.99), failed }
}
