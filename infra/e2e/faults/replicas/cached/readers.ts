// Clients that read pages all the time while something happens, and what they must never see.

import { expect } from 'vitest'
import type { CachedStage, Reading } from './stage.ts'

interface Readers {
  /** Ends the reading and waits for the responses. */
  stop(): Promise<Reading[]>
}

interface ReadersOptions {
  names: readonly string[]
  /** Requests of each gateway at a time. */
  lanes?: number
  /** Between two requests of a lane. */
  pauseMs?: number
}

/** Reads the pages in turn from both gateways, HTML and page data alternately. */
export function startReaders(stage: CachedStage, { names, lanes = 2, pauseMs = 2 }: ReadersOptions): Readers {
  const readings: Reading[] = []
  let isRunning = true
  const lane = async (number: number): Promise<void> => {
    const gateway = stage.gateways[number % 2 === 0 ? 0 : 1]
    for (let count = number; isRunning; count++) {
      readings.push(await stage.read(names[count % names.length] ?? '', gateway, count % 4 < 2 ? 'html' : 'data'))
      await new Promise((done) => setTimeout(done, pauseMs))
    }
  }
  const running = Promise.all(Array.from({ length: lanes * 2 }, (_, number) => lane(number)))
  return {
    async stop() {
      isRunning = false
      await running
      return readings
    },
  }
}

/** Every response is a page, and none is older than what was revalidated before its request was sent. */
export function expectCurrent(readings: readonly Reading[]): void {
  expect(readings.length).toBeGreaterThan(0)
  expect(describeAll(readings.filter(({ number }) => number === undefined))).toEqual([])
  expect(describeAll(readings.filter(({ number, least }) => number !== undefined && number < least))).toEqual([])
}

/** The first ten and how many more. */
function describeAll(readings: readonly Reading[]): string[] {
  const first = readings
    .slice(0, 10)
    .map(
      ({ name, as, number, least, status, verdict, sentAt }) =>
        `${name} as ${as} at ${sentAt}: ${status} ${verdict}, number ${number}, at least ${least}`,
    )
  return readings.length > 10 ? [...first, `and ${readings.length - 10} more`] : first
}

/** How many responses had which verdict, for the log of a run. */
export function countVerdicts(readings: readonly Reading[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { verdict, status } of readings) {
    const name = status === 200 ? String(verdict) : String(status)
    counts[name] = (counts[name] ?? 0) + 1
  }
  return counts
}
