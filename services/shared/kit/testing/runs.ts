// What `npm test` tries a little of and `npm run test:long`, which runs every test, tries at length.

import { describe, test } from 'vitest'

const isLong = process.env.PORTICO_TEST_LONG !== undefined

/** How often a property is tried: `many` times under `npm run test:long`, otherwise `few` times. */
export function runs(few: number, many: number): number {
  return isLong ? many : few
}

/** The forms in which a behaviour is tried: all under `npm run test:long`, otherwise the first. */
export function forms<Form>(...all: readonly [Form, ...Form[]]): readonly Form[] {
  return isLong ? all : all.slice(0, 1)
}

/** A test that only `npm run test:long` runs: another form of what `npm test` shows. */
export const testAtLength: (title: string, run: () => Promise<void> | void) => void = isLong ? test : () => {}

/** As `testAtLength`, for tests that share what they start. */
export const describeAtLength: (title: string, register: () => void) => void = isLong ? describe : () => {}
