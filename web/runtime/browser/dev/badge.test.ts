// The badge for every state of connection and page.

import { expect, test } from 'vitest'
import { type BadgeInput, badgeOf } from '../testing.ts'
import type { Fault } from './fault-list.ts'

const FAULT: Fault = { source: 'build', message: 'broken', stack: [] }
const WELL: BadgeInput = {
  connection: { kind: 'connected' },
  sinceMs: 1000,
  nowMs: 1000,
  wasLost: false,
  faults: { faults: [], warnings: [], isDismissed: false },
}

test('V2 shows nothing while there is no fault', () => {
  expect(badgeOf(WELL)).toBeUndefined()
  expect(badgeOf({ ...WELL, connection: { kind: 'connecting', attempt: 0 } })).toBeUndefined()
})

test('V2 counts attempts and seconds while the connection is lost', () => {
  const waiting = { ...WELL, wasLost: true, connection: { kind: 'waiting', attempt: 6, waitMs: 5000 } as const }
  expect(badgeOf(waiting)).toEqual({
    tone: 'busy',
    text: 'Reconnecting, attempt 6 of 25',
    detail: 'in 5 s',
    action: 'reload',
  })
  expect(badgeOf({ ...waiting, nowMs: 4001 })?.detail).toBe('in 2 s')
  expect(badgeOf({ ...waiting, nowMs: 9000 })?.detail).toBe('in 1 s')
  expect(badgeOf({ ...waiting, connection: { kind: 'connecting', attempt: 6 } })?.detail).toBeUndefined()
})

test('V2 shows for 2 s that the connection is restored', () => {
  const back = { ...WELL, wasLost: true }
  expect(badgeOf({ ...back, nowMs: 2999 })).toMatchObject({ tone: 'well', text: 'Connected' })
  expect(badgeOf({ ...back, nowMs: 3000 })).toBeUndefined()
})

test('V2 names errors before warnings, and a lost connection before both', () => {
  const faults = { faults: [FAULT, FAULT], warnings: [{ text: 'slow' }], isDismissed: true }
  expect(badgeOf({ ...WELL, faults })).toMatchObject({ text: '2 errors', action: 'show-faults' })
  expect(badgeOf({ ...WELL, faults: { ...faults, faults: [] } })).toMatchObject({
    text: '1 warning',
    action: 'show-warnings',
  })
  expect(badgeOf({ ...WELL, faults, connection: { kind: 'reloading' } })).toMatchObject({ tone: 'busy' })
})
