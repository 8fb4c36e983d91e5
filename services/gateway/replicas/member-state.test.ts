import type { ProbeResult } from '@portico/shared/kit/life/replica-probe.ts'
import { FROZEN_AFTER_MS, GIVEN_UP_AFTER_MS, SLOW_START_MS } from '@portico/shared/wire/constants.ts'
import { expect, it } from 'vitest'
import {
  healthOf,
  isServing,
  type MemberEffect,
  type MemberEvent,
  type MemberState,
  NEW_MEMBER,
  reduceMember,
  weightOf,
} from './member-state.ts'

type Health = ReturnType<typeof healthOf>

const NOW = 50_000
const HEARD = NOW - 500
const QUIET = NOW - FROZEN_AFTER_MS
const FRESH: MemberState = { ...NEW_MEMBER, heardAt: HEARD }
const READY: MemberState = { ...FRESH, probed: 'ready', reported: 'ready', readyAt: 0 }
const LATE: MemberState = { ...READY, isLate: true, isSilent: true }

const HEALTH: [string, MemberState, Health][] = [
  ['never probed waits', FRESH, { state: 'waiting', rank: undefined }],
  ['ready is best', READY, { state: 'ready', rank: 0 }],
  ['late and sends bytes is still best', { ...LATE, isSilent: false }, { state: 'ready', rank: 0 }],
  ['late and silent is second', LATE, { state: 'ready', rank: 1 }],
  ['late and silent for 3 s is frozen and not used', { ...LATE, heardAt: QUIET }, { state: 'failed', rank: undefined }],
  ['late but not yet silent for 3 s is second', { ...LATE, heardAt: QUIET + 1 }, { state: 'ready', rank: 1 }],
  ['silent for long but not late is best: it has no requests', { ...READY, heardAt: 0 }, { state: 'ready', rank: 0 }],
  ['not ready is never used', { ...READY, probed: 'not-ready' }, { state: 'not-ready', rank: undefined }],
  [
    'not ready is not used while it rests, either',
    { ...READY, probed: 'not-ready', pausedUntil: NOW + 1 },
    { state: 'not-ready', rank: undefined },
  ],
  ['resting after broken requests is third', { ...READY, pausedUntil: NOW + 1 }, { state: 'resting', rank: 2 }],
  ['ready after its rest', { ...READY, pausedUntil: NOW }, { state: 'ready', rank: 0 }],
  ['draining is used where no other is usable', { ...READY, probed: 'draining' }, { state: 'not-ready', rank: 3 }],
  [
    'draining and late, with bytes, is used where no other is usable',
    { ...LATE, probed: 'draining', isSilent: false },
    { state: 'not-ready', rank: 3 },
  ],
  ['draining and silent is not used', { ...LATE, probed: 'draining' }, { state: 'not-ready', rank: undefined }],
  [
    'draining and refused a connection is not used',
    { ...READY, probed: 'draining', isRefused: true },
    { state: 'resting', rank: undefined },
  ],
  [
    'ready by its probe is not used after a refused connection, also after the pause',
    { ...READY, isRefused: true, pausedUntil: NOW - 1 },
    { state: 'resting', rank: undefined },
  ],
  ['late at its first probe is last', { ...FRESH, isLate: true }, { state: 'waiting', rank: 4 }],
  [
    'frozen since its first probe waits',
    { ...FRESH, isLate: true, heardAt: QUIET },
    { state: 'waiting', rank: undefined },
  ],
  ['on a closed port receives no request', { ...READY, probed: 'refused' }, { state: 'failed', rank: undefined }],
  [
    'on a closed port and late since receives no request',
    { ...LATE, probed: 'refused' },
    { state: 'failed', rank: undefined },
  ],
  ['on a closed port since its start waits', { ...FRESH, probed: 'refused' }, { state: 'waiting', rank: undefined }],
]

it.each(HEALTH)('G2 a replica that is %s', (_name, facts, health) => {
  expect(healthOf(facts, NOW)).toEqual(health)
})

it.each(HEALTH)('O12 responds to requests or does not: a replica that is %s', (name, facts, { rank }) => {
  expect(isServing(facts, NOW)).toBe(rank !== undefined && rank < 4)
  if (name.startsWith('draining is')) expect(isServing(facts, NOW)).toBe(true)
})

it('G2 another process at the address leads to a look-up, because the address may be of another service', () => {
  const before: MemberState = { ...READY, instance: 'a' }
  const after = (instance: string | undefined) =>
    reduceMember(before, { ...probed('ready'), ...(instance !== undefined && { instance }) }, NOW)
  expect(after('a')).toMatchObject({ state: { instance: 'a' }, effects: [] })
  expect(after('b')).toMatchObject({ state: { instance: 'b' }, effects: ['look-up'] })
  expect(reduceMember(READY, { ...probed('ready'), instance: 'a' }, NOW).effects).toEqual([])
})

const REFUSED: MemberState = { ...READY, isRefused: true, refusedAt: NOW - 100, reported: 'resting' }
const PAUSED: MemberState = { ...READY, pauses: 1, pausedUntil: NOW + 500, reported: 'resting' }
const probed = (result: ProbeResult, more: { startedAt?: number; heardAt?: number; version?: string } = {}) =>
  ({ kind: 'probed', result, startedAt: NOW - 1, heardAt: 0, ...more }) satisfies MemberEvent
const broken = (requests: number, count: number, mayRest = true): MemberEvent => ({
  kind: 'failed',
  how: 'broken',
  tally: { requests, broken: count },
  mayRest,
})
const REFUSAL: MemberEvent = { kind: 'failed', how: 'refused' }

const PROBES: [string, MemberState, MemberEvent, Partial<MemberState>, MemberEffect[]][] = [
  [
    'a late probe without a byte ejects what has no connection yet',
    READY,
    probed('failed'),
    { isLate: true, isSilent: true, reported: 'ready' },
    ['eject-connecting'],
  ],
  [
    'a late probe during which bytes arrived makes no replica slow',
    READY,
    probed('failed', { heardAt: NOW }),
    { isLate: true, isSilent: false, heardAt: NOW, reported: 'ready' },
    [],
  ],
  [
    'a late probe after 3 s without a byte ejects',
    { ...READY, heardAt: QUIET, version: 'b1.e1' },
    probed('failed'),
    { reported: 'failed', version: undefined },
    ['report', 'eject'],
  ],
  [
    'bytes within the 3 s keep the replica, however many probes are late',
    { ...LATE, heardAt: QUIET },
    probed('failed', { heardAt: NOW - 1000 }),
    { reported: 'ready' },
    ['eject-connecting'],
  ],
  [
    'the 3 s end while a probe waits',
    { ...LATE, heardAt: QUIET },
    { kind: 'waited', heardAt: 0 },
    { reported: 'failed' },
    ['report', 'eject'],
  ],
  [
    'a frozen replica ejects again what waits by then',
    { ...LATE, heardAt: NOW - GIVEN_UP_AFTER_MS + 1, reported: 'failed' },
    probed('failed'),
    { reported: 'failed' },
    ['eject'],
  ],
  [
    'a replica that was silent for 6 s is given up',
    { ...LATE, heardAt: NOW - GIVEN_UP_AFTER_MS, reported: 'failed' },
    { kind: 'waited', heardAt: 0 },
    { reported: 'failed' },
    ['eject', 'give-up'],
  ],
  [
    'a replica that waits for no probe is not ejected',
    { ...READY, heardAt: 0 },
    { kind: 'waited', heardAt: 0 },
    {},
    [],
  ],
  [
    'one refused probe counts immediately',
    READY,
    probed('refused'),
    { probed: 'refused', reported: 'failed' },
    ['report'],
  ],
  [
    'a refused probe does not end requests whose bytes arrive',
    { ...READY, probed: 'refused', reported: 'failed' },
    probed('refused', { heardAt: NOW - 10 }),
    { reported: 'failed' },
    [],
  ],
  [
    'a replica that refuses probes and sends no byte for 3 s ejects what waits',
    { ...READY, probed: 'refused', reported: 'failed', heardAt: QUIET },
    probed('refused'),
    { reported: 'failed' },
    ['eject'],
  ],
  ['a refused first probe is not reported', FRESH, probed('refused'), { probed: 'refused', reported: 'waiting' }, []],
  [
    'a first ready probe is reported and begins the slow start',
    FRESH,
    probed('ready'),
    { probed: 'ready', reported: 'ready', readyAt: NOW, heardAt: NOW },
    ['report'],
  ],
  ['a ready probe is heard', LATE, probed('ready'), { isLate: false, heardAt: NOW, readyAt: 0 }, []],
  [
    'a frozen replica that responds again starts slowly',
    { ...LATE, heardAt: 0, reported: 'failed' },
    probed('ready'),
    { reported: 'ready', readyAt: NOW },
    ['report'],
  ],
  ['not ready counts immediately', READY, probed('not-ready'), { probed: 'not-ready' }, ['report']],
  [
    'idle connections to a replica that begins to drain are closed',
    READY,
    probed('draining'),
    { probed: 'draining', reported: 'not-ready' },
    ['report', 'close-idle-connections'],
  ],
  ['once', { ...READY, probed: 'draining', reported: 'not-ready' }, probed('draining'), {}, []],
  [
    'a late probe does not end a drain',
    { ...READY, probed: 'draining', reported: 'not-ready' },
    probed('failed'),
    { probed: 'draining' },
    ['eject-connecting'],
  ],
  ['a later ready probe clears a refused connection', REFUSED, probed('ready'), { isRefused: false }, ['report']],
  ['an earlier one does not', REFUSED, probed('ready', { startedAt: NOW - 200 }), { isRefused: true }, []],
  [
    'a probe of a draining replica does not',
    REFUSED,
    probed('draining'),
    { isRefused: true },
    ['close-idle-connections'],
  ],
  [
    'a ready probe reports the end of a pause',
    { ...PAUSED, pausedUntil: NOW },
    probed('ready'),
    { reported: 'ready', readyAt: NOW },
    ['report'],
  ],
  ['the version of a probe is kept', READY, probed('ready', { version: 'b1.e1' }), { version: 'b1.e1' }, []],
  [
    'a version is replaced',
    { ...READY, version: 'b1.e1' },
    probed('ready', { version: 'b2.e1' }),
    { version: 'b2.e1' },
    [],
  ],
  [
    'a late probe keeps the version',
    { ...READY, version: 'b1.e1' },
    probed('failed'),
    { version: 'b1.e1' },
    ['eject-connecting'],
  ],
  [
    'a replica that drains keeps its version',
    { ...READY, version: 'b1.e1' },
    probed('draining', { version: 'b1.e1' }),
    { version: 'b1.e1' },
    ['report', 'close-idle-connections'],
  ],
]

const REST = { pauses: 1, pausedUntil: NOW + 1000, brokenInARow: 0, reported: 'resting' } as const
const RESTS: MemberEffect[] = ['report', 'clear-tally', 'look-up']

const REQUESTS: [string, MemberState, MemberEvent, Partial<MemberState>, MemberEffect[]][] = [
  ['one broken request changes nothing', READY, broken(1, 1), { brokenInARow: 1, pausedUntil: 0 }, []],
  [
    'the third one in a row gives the replica a rest, and the version is forgotten',
    { ...READY, brokenInARow: 2, version: 'b1.e1' },
    broken(3, 3),
    { ...REST, isRefused: false, version: undefined },
    RESTS,
  ],
  ['30 % of 20 requests give it a rest', READY, broken(20, 6), REST, RESTS],
  ['a smaller share does not', READY, broken(20, 5), { brokenInARow: 1, pausedUntil: 0 }, []],
  ['nor do fewer requests', READY, broken(19, 6), { brokenInARow: 1, pausedUntil: 0 }, []],
  [
    'nor does any share while half of the replicas rest',
    { ...READY, brokenInARow: 9 },
    broken(100, 100, false),
    { brokenInARow: 10, pausedUntil: 0, reported: 'ready' },
    [],
  ],
  [
    'a refused connection counts immediately',
    READY,
    REFUSAL,
    { pauses: 1, pausedUntil: NOW + 1000, isRefused: true, refusedAt: NOW },
    ['report', 'look-up'],
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
    ['report', 'look-up'],
  ],
  [
    'a success clears failures and pauses',
    { ...REFUSED, brokenInARow: 2, pauses: 3 },
    { kind: 'succeeded' },
    { brokenInARow: 0, pauses: 0, isRefused: false },
    [],
  ],
  ['a dead kept connection is no failure', READY, { kind: 'failed', how: 'stale' }, READY, ['close-idle-connections']],
]

it.each([...PROBES, ...REQUESTS])('G2 %s', (_name, before, event, expected, effects) => {
  const step = reduceMember(before, event, NOW)
  expect(step.state).toMatchObject(expected)
  expect(step.effects).toEqual(effects)
})

it('G2 a success at a replica without failures copies nothing', () => {
  expect(reduceMember(READY, { kind: 'succeeded' }, NOW).state).toBe(READY)
})

it.each([
  [undefined, 1],
  [NOW, 0.1],
  [NOW - SLOW_START_MS / 2, 0.5],
  [NOW - SLOW_START_MS, 1],
  [0, 1],
])('G2 a replica that became ready at %s has the weight %f', (readyAt, weight) => {
  expect(weightOf({ ...READY, readyAt }, NOW)).toBe(weight)
})
