import type { ProbeResult } from '@portico/shared/kit/life/replica-probe.ts'
import { expect, it } from 'vitest'
import {
  type Health,
  healthOf,
  type MemberEffect,
  type MemberEvent,
  type MemberState,
  NEW_MEMBER,
  reduceMember,
} from './member-state.ts'

const FRESH = NEW_MEMBER
const READY: MemberState = { ...FRESH, probed: 'ready', reported: 'ready' }
const NOW = 5000

const HEALTH: [string, MemberState, Health][] = [
  ['never probed waits', FRESH, { state: 'waiting', rank: undefined }],
  ['ready is best', READY, { state: 'ready', rank: 0 }],
  ['ready after one lost probe is still best', { ...READY, probeFailures: 1 }, { state: 'ready', rank: 0 }],
  ['not ready is never used', { ...READY, probed: 'not-ready' }, { state: 'not-ready', rank: undefined }],
  [
    'not ready is not used while it rests, either',
    { ...READY, probed: 'not-ready', pausedUntil: NOW + 1 },
    { state: 'not-ready', rank: undefined },
  ],
  ['resting after broken requests is second', { ...READY, pausedUntil: NOW + 1 }, { state: 'resting', rank: 1 }],
  ['ready after its rest', { ...READY, pausedUntil: NOW }, { state: 'ready', rank: 0 }],
  [
    'resting after a refused connection is not used',
    { ...READY, pausedUntil: NOW + 1, isRefused: true },
    { state: 'resting', rank: undefined },
  ],
  ['frozen is last', { ...READY, probed: 'failed', probeFailures: 2 }, { state: 'failed', rank: 2 }],
  ['late at its first probe is last', { ...FRESH, probed: 'failed', probeFailures: 1 }, { state: 'waiting', rank: 2 }],
  [
    'on a closed port receives no request',
    { ...READY, probed: 'refused', probeFailures: 2 },
    { state: 'failed', rank: undefined },
  ],
  [
    'on a closed port at its first probe receives no request',
    { ...FRESH, probed: 'refused', probeFailures: 1 },
    { state: 'waiting', rank: undefined },
  ],
]

it.each(HEALTH)('G2 a replica that is %s', (_name, facts, health) => {
  expect(healthOf(facts, NOW)).toEqual(health)
})

const REFUSED: MemberState = { ...READY, isRefused: true, refusedAt: NOW - 100 }
const FAILED_ONCE: MemberState = { ...READY, probeFailures: 1 }
const PAUSED: MemberState = { ...READY, pauses: 1, pausedUntil: NOW + 500, reported: 'resting' }
const probed = (result: ProbeResult, startedAt = NOW - 1, version?: string): MemberEvent => ({
  kind: 'probed',
  result,
  startedAt,
  ...(version !== undefined && { version }),
})
const BROKEN: MemberEvent = { kind: 'failed', how: 'broken' }
const REFUSAL: MemberEvent = { kind: 'failed', how: 'refused' }

const STEPS: [string, MemberState, MemberEvent, Partial<MemberState>, MemberEffect[]][] = [
  ['one late probe changes nothing', READY, probed('failed'), { probed: 'ready', probeFailures: 1 }, []],
  [
    'the second one ejects',
    FAILED_ONCE,
    probed('failed'),
    { probed: 'failed', reported: 'failed' },
    ['report', 'eject'],
  ],
  ['the last kind of failure counts', FAILED_ONCE, probed('refused'), { probed: 'refused' }, ['report', 'eject']],
  ['the very first probe counts immediately', FRESH, probed('refused'), { probed: 'refused', probeFailures: 1 }, []],
  ['a first ready probe is reported', FRESH, probed('ready'), { probed: 'ready', reported: 'ready' }, ['report']],
  ['not ready counts immediately', READY, probed('not-ready'), { probed: 'not-ready', probeFailures: 0 }, ['report']],
  ['a later ready probe clears a refused connection', REFUSED, probed('ready'), { isRefused: false }, []],
  ['an earlier one does not', REFUSED, probed('ready', NOW - 200), { isRefused: true }, []],
  [
    'a ready probe reports the end of a pause',
    { ...PAUSED, pausedUntil: NOW },
    probed('ready'),
    { reported: 'ready' },
    ['report'],
  ],
  ['one broken request changes nothing', READY, BROKEN, { requestFailures: 1, pausedUntil: 0 }, []],
  [
    'the third one in a row ejects, and the version is forgotten',
    { ...READY, requestFailures: 2, version: 'b1.e1' },
    BROKEN,
    { requestFailures: 0, pauses: 1, pausedUntil: NOW + 1000, isRefused: false, version: undefined },
    ['report', 'eject', 'look-up'],
  ],
  [
    'a refused connection ejects immediately',
    READY,
    REFUSAL,
    { pauses: 1, pausedUntil: NOW + 1000, isRefused: true, refusedAt: NOW },
    ['report', 'eject', 'look-up'],
  ],
  [
    'a failure within a pause lengthens nothing',
    PAUSED,
    REFUSAL,
    { pauses: 1, pausedUntil: NOW + 500, isRefused: true },
    ['look-up'],
  ],
  [
    'a fifth pause is the longest',
    { ...READY, pauses: 4 },
    REFUSAL,
    { pausedUntil: NOW + 10_000 },
    ['report', 'eject', 'look-up'],
  ],
  [
    'a success clears failures and pauses',
    { ...REFUSED, requestFailures: 2, pauses: 3 },
    { kind: 'succeeded' },
    {
      requestFailures: 0,
      pauses: 0,
      isRefused: false,
    },
    [],
  ],
  ['a dead kept connection is no failure', READY, { kind: 'failed', how: 'stale' }, READY, ['close-idle-connections']],
  ['the version of a probe is kept', READY, probed('ready', NOW, 'b1.e1'), { version: 'b1.e1' }, []],
  ['a version is replaced', { ...READY, version: 'b1.e1' }, probed('ready', NOW, 'b2.e1'), { version: 'b2.e1' }, []],
  ['one late probe keeps the version', { ...READY, version: 'b1.e1' }, probed('failed'), { version: 'b1.e1' }, []],
  [
    'a replica that drains keeps its version',
    { ...READY, version: 'b1.e1' },
    probed('not-ready', NOW, 'b1.e1'),
    { version: 'b1.e1' },
    ['report'],
  ],
]

it.each(STEPS)('G2 %s', (_name, before, event, expected, effects) => {
  const step = reduceMember(before, event, NOW)
  expect(step.state).toMatchObject(expected)
  expect(step.effects).toEqual(effects)
})

it('G2 a success at a replica without failures copies nothing', () => {
  expect(reduceMember(READY, { kind: 'succeeded' }, NOW).state).toBe(READY)
})
