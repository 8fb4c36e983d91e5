// The router's machine against a plain model: whatever is clicked, popped, loaded, shown or failed in whatever order,
// the last navigation wins.

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { loaded, navigateTo, viewOf } from '../testing/router-words.ts'
import { createState, reduce } from './router-machine.ts'
import type { Effect, RouterEvent, RouterState } from './router-model.ts'

const URLS = ['/a', '/a#x', '/a#y', '/a?q=1', '/a?q=1#x', '/b', '/b#x', '/c']

/** What the model knows of one navigation that loads or has loaded. */
interface Load {
  url: string
  key: string
  redirects: number
}

/** What the user sees and waits for, written without looking at the machine. */
interface Model {
  url: string
  /** The name of the page in the document. */
  shown: string
  key: string
  lastId: number
  loads: Map<number, Load>
  /** The navigation that loads; all others are over. */
  waitingFor?: number | undefined
  /** Navigations whose pages React has, oldest first. */
  committed: number[]
}

type Command =
  | { do: 'navigate'; url: string; mode: 'push' | 'replace'; scroll: boolean; shallow: boolean; isInside: boolean }
  | { do: 'pop'; url: string; isOwn: boolean }
  | { do: 'load' | 'fail' | 'show'; pick: number }
  | { do: 'redirect'; pick: number; url: string; isInside: boolean }

const url = fc.constantFrom(...URLS)
const pick = fc.nat(50)
const usually = fc.constantFrom(true, true, true, true, false)
const command: fc.Arbitrary<Command> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('navigate' as const),
      url,
      mode: fc.constantFrom('push' as const, 'replace' as const),
      scroll: fc.boolean(),
      shallow: fc.boolean(),
      isInside: usually,
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('pop' as const), url, isOwn: usually }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('load' as const), pick }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('show' as const), pick }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('fail' as const), pick }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('redirect' as const), pick, url, isInside: usually }) },
)

const page = (address: string) => address.split('#')[0]
const path = (address: string) => address.split(/[?#]/)[0]

function eventOf(given: Command, key: string, lastId: number): RouterEvent {
  // Any load that ever began may report, as often as it likes; so may ids that never were.
  const id = 'pick' in given ? (given.pick % (lastId + 1)) + (given.pick > 40 ? 1 : 0) : 0
  switch (given.do) {
    case 'navigate': {
      const { url, mode, scroll, shallow, isInside } = given
      return { kind: 'navigate', entry: { url, key }, mode, scroll, shallow, isInside }
    }
    case 'pop':
      return { kind: 'popped', entry: { url: given.url, key }, isOwn: given.isOwn }
    case 'load':
      return { kind: 'loaded', id, view: viewOf('/'), isStale: false }
    case 'fail':
      return { kind: 'failed', id, reason: 'code' }
    case 'show':
      return { kind: 'shown', id }
    case 'redirect':
      return { kind: 'redirected', id, url: given.url, isInside: given.isInside }
  }
}

/** Moves the model; returns what the user notices, in the form `kind url`. */
function step(model: Model, event: RouterEvent): string[] {
  switch (event.kind) {
    case 'navigate':
      return event.isInside ? stepTo(model, event) : [`leave ${event.entry.url}`]
    case 'popped':
      return stepTo(model, { ...event, shallow: false })
    case 'loaded':
    case 'failed':
    case 'redirected':
      return model.waitingFor === event.id ? stepLoad(model, model.loads.get(event.id)!, event) : []
    case 'shown': {
      if (!model.committed.includes(event.id)) return []
      model.committed = model.committed.filter((id) => id > event.id)
      model.shown = model.loads.get(event.id)!.url
      return ['complete']
    }
    default:
      throw new Error(`${event.kind} is not a command`)
  }
}

function stepTo(
  model: Model,
  event: Extract<RouterEvent, { kind: 'navigate' | 'popped' }> & { shallow: boolean },
): string[] {
  const { url, key } = event.entry
  const isSamePage = page(url) === page(model.url)
  const isPop = event.kind === 'popped'
  const isShallow = event.shallow && path(url) === path(model.shown)
  const staysHere = isShallow || (isSamePage && (isPop || url.includes('#')))
  if (!isPop || !staysHere) model.lastId++
  const dropped: string[] = []
  if (model.waitingFor !== undefined && !(isPop && !event.isOwn && isSamePage)) {
    dropped.push('abort')
    model.waitingFor = undefined
  }
  if (!staysHere) {
    model.loads.set(model.lastId, { url, key, redirects: 0 })
    model.waitingFor = model.lastId
    return [...dropped, `load ${url}`]
  }
  Object.assign(model, event.entry)
  const onItsWay = model.loads.get(model.committed.at(-1) ?? 0)
  if (onItsWay && page(onItsWay.url) === page(url)) {
    Object.assign(onItsWay, event.entry)
    return [...dropped, `commit ${url}`]
  }
  model.committed = []
  model.shown = url
  return [...dropped, `move ${url}`]
}

function stepLoad(
  model: Model,
  load: Load,
  event: Extract<RouterEvent, { kind: 'loaded' | 'failed' | 'redirected' }>,
): string[] {
  if (event.kind === 'redirected' && event.isInside && load.redirects < 10) {
    load.redirects++
    load.url = event.url
    return [`load ${event.url}`]
  }
  model.waitingFor = undefined
  if (event.kind === 'redirected') return [`full-load ${event.url}`]
  if (event.kind === 'failed') return [`full-load ${load.url}`]
  model.url = load.url
  model.key = load.key
  model.committed.push(event.id)
  return [`write ${load.url}`, `commit ${load.url}`]
}

/** The effects that the user notices, in the words of the model. */
function seen(effect: Effect): string[] {
  switch (effect.kind) {
    case 'abort':
      return ['abort']
    case 'load':
    case 'leave':
    case 'full-load':
      return [`${effect.kind} ${effect.url}`]
    case 'show':
      return [`${effect.view.navigationId === undefined ? 'move' : 'commit'} ${effect.view.url}`]
    case 'emit':
      return effect.name === 'beforeHistoryChange' ? [`write ${effect.url}`] : []
    case 'announce':
      return ['complete']
    default:
      return []
  }
}

describe('the machine', () => {
  test('N6 does what the model does, and settles each navigation once, for any sequence of events', () => {
    fc.assert(
      fc.property(fc.array(command, { maxLength: 60 }), (commands) => {
        const model: Model = { url: '/a', shown: '/a', key: 'k', lastId: 0, loads: new Map(), committed: [] }
        let state: RouterState = createState(viewOf('/a'), { url: '/a', key: 'k' })
        const settled = new Set<number>()
        for (const [at, given] of commands.entries()) {
          const event = eventOf(given, `k${at}`, model.lastId)
          const before = state
          const { state: next, effects } = reduce(state, event)
          state = next
          expect(effects.flatMap(seen)).toEqual(step(model, event))
          expect(state.entry).toMatchObject({ url: model.url, key: model.key })
          expect(state.loading?.id).toBe(model.waitingFor)
          expect(state.committed.map(({ navigation }) => navigation.id)).toEqual(model.committed)
          // A late report changes nothing.
          if (effects.length === 0) expect(state).toBe(before)
          for (const effect of effects)
            if (effect.kind === 'settle') {
              expect(settled.has(effect.id)).toBe(false)
              settled.add(effect.id)
            }
        }
      }),
      { numRuns: 500 },
    )
  })

  test('N6 commits the last of many navigations, in whatever order their loads finish', () => {
    fc.assert(
      fc.property(fc.shuffledSubarray([1, 2, 3, 4, 5], { minLength: 5 }), (order) => {
        let state = createState(viewOf('/'), { url: '/', key: 'k' })
        const commits: string[] = []
        for (let id = 1; id <= 5; id++) state = reduce(state, navigateTo(`/${id}`)).state
        for (const id of order) {
          const transition = reduce(state, loaded(id, '/'))
          state = transition.state
          commits.push(...transition.effects.flatMap(seen))
        }
        expect([commits, state.entry.url]).toEqual([['write /5', 'commit /5'], '/5'])
      }),
    )
  })
})
