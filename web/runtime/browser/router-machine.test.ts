// The router's machine against an obvious model: whatever is clicked, popped, loaded or failed in whatever order, the
// last navigation wins.

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createMachineState, type Effect, type MachineEvent, type MachineState, reduce } from './router-machine.ts'

const URLS = ['/a', '/a#x', '/a#y', '/a?q=1', '/a?q=1#x', '/b', '/b#x', '/c']

/** What the model knows of one load. */
interface Load {
  url: string
  key: string
  redirects: number
}

/** The visitor's view of things, written without looking at the machine. */
interface Model {
  url: string
  key: string
  loads: Map<number, Load>
  /** The load that the visitor waits for; all others are over. */
  waitingFor?: number | undefined
}

type Command =
  | { do: 'navigate'; url: string; mode: 'push' | 'replace'; scroll: boolean; shallow: boolean }
  | { do: 'pop'; url: string; shallow: boolean }
  | { do: 'load' | 'fail'; pick: number }
  | { do: 'redirect'; pick: number; url: string }

const url = fc.constantFrom(...URLS)
const pick = fc.nat(50)
const command: fc.Arbitrary<Command> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('navigate' as const),
      url,
      mode: fc.constantFrom('push' as const, 'replace' as const),
      scroll: fc.boolean(),
      shallow: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('pop' as const), url, shallow: fc.boolean() }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('load' as const), pick }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('fail' as const), pick }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('redirect' as const), pick, url }) },
)

const page = (address: string) => address.split('#')[0]

function eventOf(given: Command, key: string, loads: number): MachineEvent {
  // Any load that ever began may report, as often as it likes; so may ids that never were.
  const id = 'pick' in given ? (given.pick % (loads + 1)) + (given.pick > 40 ? 1 : 0) : 0
  switch (given.do) {
    case 'navigate':
      return { kind: 'navigate', url: given.url, key, mode: given.mode, scroll: given.scroll, shallow: given.shallow }
    case 'pop':
      return { kind: 'popped', url: given.url, key, shallow: given.shallow }
    case 'load':
      return { kind: 'loaded', id }
    case 'fail':
      return { kind: 'failed', id, reason: 'code' }
    case 'redirect':
      return { kind: 'redirected', id, url: given.url }
  }
}

/** Moves the model; returns the effects that a visitor can tell, in the form `kind url`. */
function step(model: Model, event: MachineEvent): string[] {
  const dropped = model.waitingFor === undefined ? [] : [`abort ${model.loads.get(model.waitingFor)!.url}`]
  switch (event.kind) {
    case 'navigate':
    case 'popped': {
      const samePage = page(event.url) === page(model.url)
      const staysHere = event.shallow || (samePage && (event.kind === 'popped' || event.url.includes('#')))
      if (staysHere) {
        model.url = event.url
        model.key = event.key
        model.waitingFor = undefined
        return [...dropped, `move ${event.url}`]
      }
      const id = model.loads.size + 1
      model.loads.set(id, { url: event.url, key: event.key, redirects: 0 })
      model.waitingFor = id
      return [...dropped, `load ${event.url}`]
    }
    case 'loaded':
    case 'failed':
    case 'redirected': {
      const load = model.loads.get(event.id)
      if (!load || model.waitingFor !== event.id) return []
      if (event.kind === 'redirected' && load.redirects < 10) {
        load.redirects++
        load.url = event.url
        return [`load ${event.url}`]
      }
      model.waitingFor = undefined
      if (event.kind === 'redirected') return [`full-load ${event.url}`]
      if (event.kind === 'failed') return [`full-load ${load.url}`]
      model.url = load.url
      model.key = load.key
      return [`commit ${load.url}`]
    }
  }
}

function told(effect: Effect): string {
  if (effect.kind === 'commit') return `commit ${effect.pending.url}`
  return `${effect.kind} ${effect.kind === 'move' ? effect.entry.url : effect.url}`
}

describe('the machine', () => {
  test('N6 does what the obvious model does, for any sequence of events', () => {
    fc.assert(
      fc.property(fc.array(command, { maxLength: 60 }), (commands) => {
        const model: Model = { url: '/a', key: 'k', loads: new Map() }
        let state: MachineState = createMachineState({ url: '/a', key: 'k' })
        for (const [at, given] of commands.entries()) {
          const event = eventOf(given, `k${at}`, model.loads.size)
          const before = state
          const { state: next, effects } = reduce(state, event)
          state = next
          expect(effects.map(told)).toEqual(step(model, event))
          expect(state.shown).toEqual({ url: model.url, key: model.key })
          expect(state.pending?.id).toBe(model.waitingFor)
          // Whoever comes too late changes nothing at all.
          if (effects.length === 0) expect(state).toBe(before)
        }
      }),
      { numRuns: 500 },
    )
  })

  test('N6 shows the last of many navigations, in whatever order their loads finish', () => {
    fc.assert(
      fc.property(fc.shuffledSubarray([1, 2, 3, 4, 5], { minLength: 5 }), (order) => {
        let state = createMachineState({ url: '/', key: 'k' })
        const commits: string[] = []
        for (let id = 1; id <= 5; id++) state = reduce(state, navigation(`/${id}`)).state
        for (const id of order) {
          const transition = reduce(state, { kind: 'loaded', id })
          state = transition.state
          commits.push(...transition.effects.map(told))
        }
        expect([commits, state.shown.url]).toEqual([['commit /5'], '/5'])
      }),
    )
  })
})

function navigation(target: string, more: Partial<Extract<MachineEvent, { kind: 'navigate' }>> = {}): MachineEvent {
  return { kind: 'navigate', url: target, key: 'new', mode: 'push', scroll: true, shallow: false, ...more }
}

function effectsOf(events: MachineEvent[]): Effect[] {
  let state = createMachineState({ url: '/a?q=1#x', key: 'k' })
  let last: Effect[] = []
  for (const event of events) {
    const transition = reduce(state, event)
    state = transition.state
    last = transition.effects
  }
  return last
}

describe('history and scroll', () => {
  const cases: [string, MachineEvent[], Partial<Effect> & object][] = [
    ['N2 a click on the address shown adds no entry', [navigation('/a?q=1#x')], { kind: 'move', mode: 'replace' }],
    ['N2 another hash adds one and scrolls to it', [navigation('/a?q=1#y')], { mode: 'push', scroll: 'target' }],
    ['N2 the page without its hash is loaded anew', [navigation('/a?q=1')], { kind: 'load' }],
    ['N2 scroll:false keeps the position', [navigation('/a?q=1#y', { scroll: false })], { scroll: 'keep' }],
    ['N2 shallow loads nothing', [navigation('/a?q=2', { shallow: true })], { kind: 'move', shallow: true }],
    [
      'N3 back to another hash restores',
      [{ kind: 'popped', url: '/a?q=1', key: 'o', shallow: false }],
      { kind: 'move', mode: 'pop', scroll: 'restore' },
    ],
  ]
  for (const [title, events, wanted] of cases)
    test(title, () => {
      expect(effectsOf(events)).toEqual([expect.objectContaining(wanted)])
    })

  test('N3 a page that is popped to restores its scroll, a new one begins at its target', () => {
    const popped = effectsOf([
      { kind: 'popped', url: '/b', key: 'o', shallow: false },
      { kind: 'loaded', id: 1 },
    ])
    expect(popped).toMatchObject([{ kind: 'commit', pending: { mode: 'pop', scroll: 'restore', key: 'o' } }])
    const pushed = effectsOf([navigation('/b#there'), { kind: 'loaded', id: 1 }])
    expect(pushed).toMatchObject([{ kind: 'commit', pending: { mode: 'push', scroll: 'target' } }])
  })

  test('D3 a popped entry that redirects is written over', () => {
    const effects = effectsOf([
      { kind: 'popped', url: '/b', key: 'o', shallow: false },
      { kind: 'redirected', id: 1, url: '/c' },
      { kind: 'loaded', id: 1 },
    ])
    expect(effects).toMatchObject([{ kind: 'commit', pending: { url: '/c', mode: 'replace', scroll: 'target' } }])
  })

  test('D3 the eleventh redirect in a row is a loop, and loads in full', () => {
    const events = [
      navigation('/b'),
      ...Array.from({ length: 11 }, () => ({ kind: 'redirected', id: 1, url: '/b' }) as const),
    ]
    expect(effectsOf(events.slice(0, 11))).toMatchObject([{ kind: 'load' }])
    expect(effectsOf(events)).toEqual([{ kind: 'full-load', url: '/b', reason: 'redirect-loop' }])
  })
})
