// What every event does in every state of the machine.

import { describe, expect, test } from 'vitest'
import { effectText, loaded, navigateTo, phaseText, popTo, shallowPopTo, viewOf } from '../testing/router-words.ts'
import { createState, reduce } from './router-machine.ts'
import type { RouterEvent, RouterState } from './router-model.ts'

const data = { kind: 'page', route: '/fresh', params: {}, props: {} } as const

/** The document shows /a. Navigation 1 leads to /b, navigation 2 to /c. */
const STATES = {
  idle: [],
  'loading b': [navigateTo('/b')],
  'committed b': [navigateTo('/b'), loaded(1, '/b')],
  'committed b, loading c': [navigateTo('/b'), loaded(1, '/b'), navigateTo('/c')],
  'committed a again': [navigateTo('/a'), loaded(1, '/a')],
  'committed b, committed c': [navigateTo('/b'), loaded(1, '/b'), navigateTo('/c'), loaded(2, '/c')],
} satisfies Record<string, RouterEvent[]>

const EVENTS = {
  'navigate /d': navigateTo('/d'),
  'navigate /a#y': navigateTo('/a#y'),
  'navigate /b#y': navigateTo('/b#y'),
  'navigate shallow /a?q': navigateTo('/a?q', { shallow: true }),
  'navigate outside': navigateTo('https://other.example/', { isInside: false }),
  'pop /d': popTo('/d'),
  'pop /a': popTo('/a'),
  'pop /b': popTo('/b'),
  'pop foreign /d': popTo('/d', false),
  'pop foreign /a#y': popTo('/a#y', false),
  'pop foreign /b#y': popTo('/b#y', false),
  'delayed 1': { kind: 'delayed', id: 1 },
  'loaded 1': loaded(1, '/b'),
  'loaded 2': loaded(2, '/c'),
  'redirected 1 /d': { kind: 'redirected', id: 1, url: '/d', isInside: true },
  'redirected 1 outside': { kind: 'redirected', id: 1, url: 'https://other.example/', isInside: false },
  'failed 1': { kind: 'failed', id: 1, reason: 'code' },
  'failed 2': { kind: 'failed', id: 2, reason: 'code' },
  'shown 1': { kind: 'shown', id: 1 },
  'shown 2': { kind: 'shown', id: 2 },
  refresh: { kind: 'refresh' },
  'data missing /a': { kind: 'data', url: '/a', data: undefined },
  'data /a': { kind: 'data', url: '/a', data },
  'data-applied /a': { kind: 'data-applied', url: '/a', view: viewOf('/a', '/fresh') },
  'data-redirected /a': { kind: 'data-redirected', url: '/a', location: '/d' },
  'data-failed /a': { kind: 'data-failed', url: '/a', reason: 'manifest' },
} satisfies Record<string, RouterEvent>

const CANCEL_B = 'abort, settle 1 false, routeChangeError /b'
const CANCEL_C = 'abort, settle 2 false, routeChangeError /c'
const SHALLOW =
  'routeChangeStart /a?q, push /a?q shallow, show /a /a?q, scroll keep /a?q, report idle, routeChangeComplete /a?q'
const SHOWN_B = 'scroll keep /b, announce and focus, settle before 1 false, settle 1 true, routeChangeComplete /b'

/** By state: what each event does, and the phases after it. Events without a row are ignored. */
const TABLE: Record<keyof typeof STATES, Partial<Record<keyof typeof EVENTS, string>>> = {
  idle: {
    'navigate /d': 'routeChangeStart /d, load 1 /d → /d loading',
    'navigate /a#y':
      'hashChangeStart /a#y, push /a#y, show /a /a#y, scroll target /a#y, report idle, hashChangeComplete /a#y, settle 1 true → idle',
    'navigate /b#y': 'routeChangeStart /b#y, load 1 /b#y → /b#y loading',
    'navigate shallow /a?q': `${SHALLOW}, settle 1 true → idle`,
    'navigate outside': 'leave push https://other.example/ → idle',
    'pop /d': 'routeChangeStart /d, load 1 /d → /d loading',
    'pop /a': 'hashChangeStart /a, show /a, scroll restore /a, report idle, hashChangeComplete /a → idle',
    'pop /b': 'routeChangeStart /b, load 1 /b → /b loading',
    'pop foreign /d': 'mark popped, routeChangeStart /d, load 1 /d → /d loading',
    'pop foreign /a#y':
      'mark popped, hashChangeStart /a#y, show /a /a#y, scroll keep /a#y, report idle, hashChangeComplete /a#y → idle',
    'pop foreign /b#y': 'mark popped, routeChangeStart /b#y, load 1 /b#y → /b#y loading',
    refresh: 'fetch /a → idle',
    'data /a': 'apply to /a → idle',
    'data-applied /a': 'show /fresh /a → idle',
    'data-redirected /a': 'follow /d → idle',
    'data-failed /a': 'full /a manifest → idle',
  },
  'loading b': {
    'navigate /d': `${CANCEL_B}, routeChangeStart /d, load 2 /d → /d loading`,
    'navigate /a#y': `${CANCEL_B}, hashChangeStart /a#y, push /a#y, show /a /a#y, scroll target /a#y, report idle, hashChangeComplete /a#y, settle 2 true → idle`,
    'navigate /b#y': `${CANCEL_B}, routeChangeStart /b#y, load 2 /b#y → /b#y loading`,
    'navigate shallow /a?q': `${CANCEL_B}, ${SHALLOW}, settle 2 true → idle`,
    'navigate outside': 'leave push https://other.example/ → /b loading',
    'pop /d': `${CANCEL_B}, routeChangeStart /d, load 2 /d → /d loading`,
    'pop /a': `${CANCEL_B}, hashChangeStart /a, show /a, scroll restore /a, report idle, hashChangeComplete /a → idle`,
    'pop /b': `${CANCEL_B}, routeChangeStart /b, load 2 /b → /b loading`,
    'pop foreign /d': `mark popped, ${CANCEL_B}, routeChangeStart /d, load 2 /d → /d loading`,
    'pop foreign /a#y':
      'mark popped, hashChangeStart /a#y, show /a /a#y, scroll keep /a#y, hashChangeComplete /a#y → /b loading',
    'pop foreign /b#y': `mark popped, ${CANCEL_B}, routeChangeStart /b#y, load 2 /b#y → /b#y loading`,
    'delayed 1': 'report /b → /b loading',
    'loaded 1': 'beforeHistoryChange /b, push /b, show /b 1 top → /b committed',
    'redirected 1 /d': 'routeChangeStart /d, load 1 /d → /d loading',
    'redirected 1 outside': 'full https://other.example/ redirect, report idle → idle',
    'failed 1': 'routeChangeError /b code, full /b code, report idle → idle',
    refresh: 'fetch /a → /b loading',
    'data /a': 'apply to /a → /b loading',
    'data-applied /a': 'show /fresh /a → /b loading',
    'data-redirected /a': 'follow /d → /b loading',
  },
  'committed b': {
    'navigate /d': 'routeChangeStart /d, load 2 /d → /b committed, /d loading',
    'navigate /a#y': 'routeChangeStart /a#y, load 2 /a#y → /b committed, /a#y loading',
    'navigate /b#y': 'push /b#y, show /b /b#y 1 top, settle 2 true → /b#y committed',
    'navigate shallow /a?q': `settle 1 false, ${SHALLOW}, settle 2 true → idle`,
    'navigate outside': 'leave push https://other.example/ → /b committed',
    'pop /d': 'routeChangeStart /d, load 2 /d → /b committed, /d loading',
    'pop /a': 'routeChangeStart /a, load 2 /a → /b committed, /a loading',
    'pop /b': 'show /b 1 → /b committed',
    'pop foreign /d': 'mark popped, routeChangeStart /d, load 2 /d → /b committed, /d loading',
    'pop foreign /a#y': 'mark popped, routeChangeStart /a#y, load 2 /a#y → /b committed, /a#y loading',
    'pop foreign /b#y': 'mark popped, show /b /b#y 1 → /b#y committed',
    'shown 1': `report idle, ${SHOWN_B} → idle`,
    refresh: 'fetch /a → /b committed',
  },
  'committed b, loading c': {
    'navigate /d': `${CANCEL_C}, routeChangeStart /d, load 3 /d → /b committed, /d loading`,
    'navigate /a#y': `${CANCEL_C}, routeChangeStart /a#y, load 3 /a#y → /b committed, /a#y loading`,
    'navigate /b#y': `${CANCEL_C}, push /b#y, show /b /b#y 1 top, settle 3 true → /b#y committed`,
    'navigate shallow /a?q': `${CANCEL_C}, settle 1 false, ${SHALLOW}, settle 3 true → idle`,
    'navigate outside': 'leave push https://other.example/ → /b committed, /c loading',
    'pop /d': `${CANCEL_C}, routeChangeStart /d, load 3 /d → /b committed, /d loading`,
    'pop /a': `${CANCEL_C}, routeChangeStart /a, load 3 /a → /b committed, /a loading`,
    'pop /b': `${CANCEL_C}, show /b 1 → /b committed`,
    'pop foreign /d': `mark popped, ${CANCEL_C}, routeChangeStart /d, load 3 /d → /b committed, /d loading`,
    'pop foreign /a#y': `mark popped, ${CANCEL_C}, routeChangeStart /a#y, load 3 /a#y → /b committed, /a#y loading`,
    'pop foreign /b#y': 'mark popped, show /b /b#y 1 → /b#y committed, /c loading',
    'loaded 2': 'beforeHistoryChange /c, push /c, show /c 2 top → /b committed, /c committed',
    'failed 2': 'routeChangeError /c code, full /c code → /b committed',
    'shown 1': `${SHOWN_B} → /c loading`,
    refresh: 'fetch /a → /b committed, /c loading',
  },
  'committed a again': {
    'navigate /d': 'routeChangeStart /d, load 2 /d → /a committed, /d loading',
    'navigate /a#y': 'push /a#y, show /a /a#y 1 top, settle 2 true → /a#y committed',
    'navigate /b#y': 'routeChangeStart /b#y, load 2 /b#y → /a committed, /b#y loading',
    'navigate shallow /a?q': `settle 1 false, ${SHALLOW}, settle 2 true → idle`,
    'navigate outside': 'leave push https://other.example/ → /a committed',
    'pop /d': 'routeChangeStart /d, load 2 /d → /a committed, /d loading',
    'pop /a': 'show /a 1 → /a committed',
    'pop /b': 'routeChangeStart /b, load 2 /b → /a committed, /b loading',
    'pop foreign /d': 'mark popped, routeChangeStart /d, load 2 /d → /a committed, /d loading',
    'pop foreign /a#y': 'mark popped, show /a /a#y 1 → /a#y committed',
    'pop foreign /b#y': 'mark popped, routeChangeStart /b#y, load 2 /b#y → /a committed, /b#y loading',
    'shown 1':
      'report idle, scroll keep /a, announce, settle before 1 false, settle 1 true, routeChangeComplete /a → idle',
    refresh: 'fetch /a → /a committed',
    'data /a': 'apply to /a → /a committed',
    'data-applied /a': 'show /fresh /a 1 top → /a committed',
    'data-redirected /a': 'follow /d → /a committed',
    'data-failed /a': 'full /a manifest → /a committed',
  },
  'committed b, committed c': {
    'navigate /d': 'routeChangeStart /d, load 3 /d → /b committed, /c committed, /d loading',
    'navigate /a#y': 'routeChangeStart /a#y, load 3 /a#y → /b committed, /c committed, /a#y loading',
    'navigate /b#y': 'routeChangeStart /b#y, load 3 /b#y → /b committed, /c committed, /b#y loading',
    'navigate shallow /a?q': `settle 1 false, settle 2 false, ${SHALLOW}, settle 3 true → idle`,
    'navigate outside': 'leave push https://other.example/ → /b committed, /c committed',
    'pop /d': 'routeChangeStart /d, load 3 /d → /b committed, /c committed, /d loading',
    'pop /a': 'routeChangeStart /a, load 3 /a → /b committed, /c committed, /a loading',
    'pop /b': 'routeChangeStart /b, load 3 /b → /b committed, /c committed, /b loading',
    'pop foreign /d': 'mark popped, routeChangeStart /d, load 3 /d → /b committed, /c committed, /d loading',
    'pop foreign /a#y': 'mark popped, routeChangeStart /a#y, load 3 /a#y → /b committed, /c committed, /a#y loading',
    'pop foreign /b#y': 'mark popped, routeChangeStart /b#y, load 3 /b#y → /b committed, /c committed, /b#y loading',
    'shown 1': `${SHOWN_B} → /c committed`,
    'shown 2':
      'report idle, scroll keep /c, announce and focus, settle before 2 false, settle 2 true, routeChangeComplete /c → idle',
    refresh: 'fetch /a → /b committed, /c committed',
  },
}

describe.each(Object.keys(STATES) as (keyof typeof STATES)[])('%s', (name) => {
  const state = STATES[name].reduce<RouterState>(
    (before, event) => reduce(before, event).state,
    createState(viewOf('/a'), { url: '/a', key: 'first' }),
  )

  test.each(Object.keys(EVENTS) as (keyof typeof EVENTS)[])('N2 N3 N6 %s', (given) => {
    const next = reduce(state, EVENTS[given])
    const wanted = TABLE[name][given]
    if (wanted) expect(`${next.effects.map(effectText).join(', ')} → ${phaseText(next.state)}`).toBe(wanted)
    else expect(next).toEqual({ state, effects: [] })
  })
})

/** The effects of each event, on a page at /a?q=1#x. */
function stepsOf(events: RouterEvent[], isFallback = false): string[][] {
  let state = createState({ ...viewOf('/a?q=1#x', '/a'), isFallback }, { url: '/a?q=1#x', key: 'k' })
  return events.map((event) => {
    const transition = reduce(state, event)
    state = transition.state
    return transition.effects.map(effectText)
  })
}

describe('history and scroll', () => {
  const shown = { kind: 'shown', id: 1 } as const
  const cases: [string, RouterEvent[], string[]][] = [
    [
      'N2 a click on the address shown adds no entry',
      [navigateTo('/a?q=1#x')],
      ['replace /a?q=1#x', 'scroll target /a?q=1#x'],
    ],
    [
      'N2 another hash adds one and scrolls to it',
      [navigateTo('/a?q=1#y')],
      ['push /a?q=1#y', 'scroll target /a?q=1#y'],
    ],
    [
      'N2 an empty hash adds one and scrolls to the top',
      [navigateTo('/a?q=1#')],
      ['push /a?q=1#', 'scroll target /a?q=1#'],
    ],
    ['N2 the page without its hash is loaded again', [navigateTo('/a?q=1')], ['load 1 /a?q=1 again']],
    [
      'N2 scroll:false keeps the position',
      [navigateTo('/a?q=1#y', { scroll: false })],
      ['push /a?q=1#y', 'scroll keep /a?q=1#y'],
    ],
    [
      'N2 shallow loads nothing and does not scroll',
      [navigateTo('/a?q=2', { shallow: true })],
      ['push /a?q=2 shallow', 'scroll keep /a?q=2'],
    ],
    [
      'N2 shallow scrolls where it is asked to',
      [navigateTo('/a?q=2', { shallow: true, scroll: true })],
      ['push /a?q=2 shallow', 'scroll target /a?q=2'],
    ],
    [
      'N2 X2 between entries of shallow navigations a step back loads nothing',
      [navigateTo('/a?q=2', { shallow: true }), shallowPopTo('/a?q=2')],
      ['push /a?q=2 shallow', 'scroll keep /a?q=2', 'scroll restore /a?q=2'],
    ],
    [
      'N2 X2 between those of two paths it loads the page',
      [navigateTo('/a?q=2', { shallow: true }), shallowPopTo('/b')],
      ['push /a?q=2 shallow', 'scroll keep /a?q=2', 'load 2 /b'],
    ],
    ['N2 X2 from another entry it loads the page', [shallowPopTo('/a?q=2')], ['load 1 /a?q=2']],
    [
      'N2 shallow has no effect for another path',
      [navigateTo('/b?q=2', { shallow: true }), loaded(1, '/b?q=2'), shown],
      ['load 1 /b?q=2', 'push /b?q=2', 'show /b?q=2 1 top', 'scroll keep /b?q=2'],
    ],
    ['N3 back to another hash restores', [popTo('/a?q=1')], ['scroll restore /a?q=1']],
    [
      'N3 a page that is popped to restores its scroll',
      [popTo('/b'), loaded(1, '/b'), shown],
      ['load 1 /b', 'scroll restore /b'],
    ],
    [
      'N3 a new page begins at its target',
      [navigateTo('/b#x'), loaded(1, '/b#x'), shown],
      ['load 1 /b#x', 'push /b#x', 'show /b#x 1 top', 'scroll target /b#x'],
    ],
    [
      'N3 a page with `scroll: false` begins where the last one was',
      [navigateTo('/b', { scroll: false }), loaded(1, '/b'), shown],
      ['load 1 /b', 'push /b', 'scroll keep /b'],
    ],
    [
      'N3 a page that is shown after a step back writes no history',
      [navigateTo('/b'), loaded(1, '/b'), popTo('/c'), shown],
      ['load 1 /b', 'push /b', 'show /b 1 top', 'load 2 /c', 'scroll keep /b'],
    ],
    [
      'D3 a popped entry that redirects is replaced',
      [popTo('/b'), { kind: 'redirected', id: 1, url: '/c', isInside: true }, loaded(1, '/c'), shown],
      ['load 1 /b', 'load 1 /c', 'replace /c', 'show /c 1 top', 'scroll keep /c'],
    ],
  ]
  test.each(cases)('%s', (_title, events, wanted) => {
    expect(
      stepsOf(events)
        .flat()
        .filter((text) => /^(push|replace|load|scroll) | top$/.test(text)),
    ).toEqual(wanted)
  })

  test('D3 the eleventh redirect in a row is a loop, and loads in full', () => {
    const redirected: RouterEvent = { kind: 'redirected', id: 1, url: '/b', isInside: true }
    const events = [navigateTo('/b'), ...Array.from({ length: 11 }, () => redirected)]
    expect(stepsOf(events)[10]).toEqual(['routeChangeStart /b', 'load 1 /b'])
    expect(stepsOf(events).at(-1)).toEqual(['full /b redirect-loop', 'report idle'])
  })
})

describe('fresh data', () => {
  test('P3 a page with old data is fetched again when it is shown', () => {
    const events = [navigateTo('/b'), loaded(1, '/b', true), { kind: 'shown', id: 1 } as const]
    expect(stepsOf(events).at(-1)?.at(-1)).toBe('fetch /b')
  })

  test('D2 a shell whose data cannot be fetched is loaded in full, any other page stays', () => {
    const missing: RouterEvent = { kind: 'data', url: '/a?q=1', data: undefined }
    expect(stepsOf([missing], true).at(-1)).toEqual(['full /a?q=1 data-fallback'])
    expect(stepsOf([missing]).at(-1)).toEqual([])
  })
})
