import { expect, it } from 'vitest'
import { type Health, healthOf, probedFacts, type ReplicaFacts } from './replica-health.ts'
import type { ProbeResult } from './replica-probe.ts'

const FRESH: ReplicaFacts = { probed: undefined, probeFailures: 0, pausedUntil: 0, isRefused: false }
const READY: ReplicaFacts = { ...FRESH, probed: 'ready' }
const NOW = 5000

const HEALTH: [string, ReplicaFacts, Health][] = [
  ['never probed waits', FRESH, { state: 'waiting', rank: undefined }],
  ['ready is best', READY, { state: 'ready', rank: 0 }],
  ['ready after one lost probe stays best', { ...READY, probeFailures: 1 }, { state: 'ready', rank: 0 }],
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

const REFUSED = { ...READY, isRefused: true }
const PROBES: [string, ReplicaFacts, ProbeResult, boolean, Partial<ReplicaFacts>][] = [
  ['one late probe changes nothing', READY, 'failed', true, { probed: 'ready', probeFailures: 1 }],
  ['the second one counts', { ...READY, probeFailures: 1 }, 'failed', true, { probed: 'failed', probeFailures: 2 }],
  [
    'the last kind of failure counts',
    { ...READY, probeFailures: 1 },
    'refused',
    true,
    { probed: 'refused', probeFailures: 2 },
  ],
  ['the very first probe counts immediately', FRESH, 'refused', true, { probed: 'refused', probeFailures: 1 }],
  ['not ready counts immediately', READY, 'not-ready', true, { probed: 'not-ready', probeFailures: 0 }],
  ['a later ready probe clears a refused connection', REFUSED, 'ready', true, { isRefused: false }],
  ['an earlier one does not', REFUSED, 'ready', false, { isRefused: true }],
]

it.each(PROBES)('G2 %s', (_name, facts, result, isLater, expected) => {
  expect(probedFacts(facts, result, isLater)).toMatchObject(expected)
})
