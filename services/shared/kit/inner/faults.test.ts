// After which faults a request may be sent once more: each fault, for a method that may run twice and for one that may not,
// with and without bytes sent.

import { expect, test } from 'vitest'
import { codedError, faultOf, mayRepeat, replicaOut, type SendFault } from './faults.ts'

const GET = true
const POST = false
const SENT = { isUnsent: false }
const UNSENT = { isUnsent: true }

type Row = [fault: SendFault, getSent: boolean, postSent: boolean, getUnsent: boolean, postUnsent: boolean]
const ROWS: Row[] = [
  // A connection that was made may report the same code when it is lost later.
  ['refused', true, false, true, true],
  ['stale', true, false, true, true],
  ['broken', true, false, true, true],
  ['out', true, false, true, true],
  ['other-build', true, false, true, true],
  ['head-too-large', false, false, false, false],
  ['unfit', false, false, false, false],
  ['too-large', false, false, false, false],
  ['late', false, false, false, false],
  ['given-up', false, false, false, false],
  ['aborted', false, false, false, false],
  ['busy', false, false, false, false],
]

test.each(ROWS)('E7 %s: GET sent %s, POST sent %s, GET unsent %s, POST unsent %s', (fault, ...expected) => {
  expect([
    mayRepeat({ fault, ...SENT }, GET),
    mayRepeat({ fault, ...SENT }, POST),
    mayRepeat({ fault, ...UNSENT }, GET),
    mayRepeat({ fault, ...UNSENT }, POST),
  ]).toEqual(expected)
})

test.each([
  ['ECONNREFUSED', false, 'refused'],
  ['EHOSTUNREACH', false, 'refused'],
  ['ENOTFOUND', false, 'refused'],
  ['ECONNRESET', true, 'stale'],
  ['EPIPE', true, 'stale'],
  ['ECONNRESET', false, 'broken'],
  ['EPROTO', true, 'broken'],
  ['HPE_HEADER_OVERFLOW', true, 'head-too-large'],
])('E7 %s, on a kept connection %s, is %s', (code, wasReused, fault) => {
  expect(faultOf(codedError(code, 'x'), wasReused)).toBe(fault)
})

test('E7 the end of a request whose replica was ejected is known by its error', () => {
  expect(faultOf(replicaOut(), true)).toBe('out')
  expect(faultOf(undefined, true)).toBe('broken')
})
