// The table of decisions, each combination.

import { describe, expect, it, test } from 'vitest'
import { ageState, type Decision, decide, type EntryState, STALE_LIMIT_MS } from './decide.ts'

type Situation = Parameters<typeof decide>[0]

const ENTRIES: EntryState[] = ['none', 'fresh', 'stale', 'old']
const FILLS: Situation['fill'][] = ['idle', 'running', 'paused']

/** Decisions for an idle, a running and a paused fill. */
const TABLE: Record<'trusted' | 'untrusted', Record<'home' | 'no home', Record<EntryState, Decision[]>>> = {
  trusted: {
    home: {
      none: ['fill', 'fill', 'failed'],
      fresh: ['hit', 'hit', 'hit'],
      stale: ['refresh', 'stale', 'stale'],
      old: ['fill', 'fill', 'failed'],
    },
    'no home': {
      none: ['pass', 'pass', 'pass'],
      fresh: ['hit', 'hit', 'hit'],
      stale: ['stale', 'stale', 'stale'],
      old: ['pass', 'pass', 'pass'],
    },
  },
  untrusted: {
    home: {
      none: ['ask', 'ask', 'failed'],
      fresh: ['ask', 'ask', 'failed'],
      stale: ['ask', 'ask', 'failed'],
      old: ['ask', 'ask', 'failed'],
    },
    'no home': {
      none: ['pass', 'pass', 'pass'],
      fresh: ['confirm', 'confirm', 'confirm'],
      stale: ['confirm', 'confirm', 'confirm'],
      old: ['pass', 'pass', 'pass'],
    },
  },
}

describe('decide', () => {
  for (const trust of ['trusted', 'untrusted'] as const)
    for (const home of ['home', 'no home'] as const)
      test.each(ENTRIES)(`C5 ${trust}, ${home}: an entry that is %s`, (entry) => {
        const decisions = FILLS.map((fill) =>
          decide({ entry, isTrusted: trust === 'trusted', hasHome: home === 'home', fill }),
        )
        expect(decisions).toEqual(TABLE[trust][home][entry])
      })

  it('C5 never sends an entry of a gateway that does not know all marks', () => {
    const sending: Decision[] = ['hit', 'stale', 'refresh']
    for (const entry of ENTRIES)
      for (const hasHome of [true, false])
        for (const fill of FILLS) expect(sending).not.toContain(decide({ entry, isTrusted: false, hasHome, fill }))
  })
})

test.each([
  [0, 1000, 'fresh'],
  [1000, 1000, 'fresh'],
  [1001, 1000, 'stale'],
  [1000 + STALE_LIMIT_MS, 1000, 'stale'],
  [1001 + STALE_LIMIT_MS, 1000, 'old'],
  [10 * STALE_LIMIT_MS, null, 'fresh'],
] as const)('C4 an entry of age %d with %s ms of freshness is %s', (ageMs, freshMs, state) => {
  expect(ageState(ageMs, freshMs)).toBe(state)
})
