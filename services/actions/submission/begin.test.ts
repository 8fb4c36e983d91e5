// Submissions wait for a state store that is away, with a clock that is stopped (A9, E7).

import { createLog } from '@portico/shared/kit/observe/log.ts'
import { FIRST_READY_WAIT_MS } from '@portico/shared/wire/constants.ts'
import { describe, expect, it, onTestFinished } from 'vitest'
import { systemClock } from '../clock.ts'
import { createFakeClock } from '../testing/fake-clock.ts'
import { callAction, createKey, postForm } from '../testing/requests.ts'
import { startActions } from '../testing/start-actions.ts'
import { createTestStore, HOLDER } from '../testing/test-store.ts'
import { createWaitingRoom } from '../testing.ts'
import { createSubmitOnce, type Submission } from './submit-once.ts'

/** A store that is away until the test says otherwise. `writes`: it runs what it does not reply to. */
function setUp({ mayRecover = true, writes = false, room = createWaitingRoom() } = {}) {
  const clock = createFakeClock()
  const store = createTestStore(clock)
  const state = { isAway: true, calls: 0, runs: 0 }
  const guard = async <T>(call: () => Promise<T>): Promise<T> => {
    state.calls++
    const result = !state.isAway || writes ? await call() : undefined
    if (state.isAway) throw new Error('away')
    return result as T
  }
  const submitOnce = createSubmitOnce({
    store: {
      ...store,
      mayRecover: () => mayRecover,
      begin: (id, options) => guard(() => store.begin(id, options)),
      abandon: (id, owner) => guard(() => store.abandon(id, owner)),
    },
    clock,
    room,
    log: createLog('actions', 'silent'),
    onRefused: () => {},
  })
  const run = async () => ({ result: ++state.runs, kept: { status: 200 } })
  const send = (more: Partial<Submission> = {}) => submitOnce({ ...SUBMISSION, ...more }, run)
  return { clock, state, store, submitOnce, send }
}

const SUBMISSION: Submission = {
  id: 'r',
  otherIds: [],
  fingerprint: 'f',
  holder: HOLDER,
  keepMs: 86_400_000,
  safeToRepeat: false,
  bestEffort: false,
  waitMs: 30_000,
  bytes: 100,
  signal: new AbortController().signal,
}

const UNAVAILABLE = { kind: 'unavailable' }

describe('a submission while the store is away', () => {
  it.each([false, true])('A9 waits, and runs once when the store is back (replies lost: %s)', async (writes) => {
    const { clock, state, send } = setUp({ writes })
    const both = [send(), send()]
    await clock.advance(2500)
    expect([state.runs, state.calls > 10]).toEqual([0, true])
    state.isAway = false
    await clock.advance(1000)
    expect((await Promise.all(both)).map(({ kind }) => kind).toSorted()).toEqual(['ran', 'repeated'])
    expect([state.runs, (await send()).kind]).toEqual([1, 'repeated'])
  })

  it('A9 is refused after three seconds, and leaves no record', async () => {
    const { clock, state, send } = setUp({ writes: true })
    let settled = false
    const refused = send().finally(() => {
      settled = true
    })
    await clock.advance(FIRST_READY_WAIT_MS - 100)
    expect(settled).toBe(false)
    await clock.advance(350)
    expect([settled, await refused, state.runs]).toEqual([true, UNAVAILABLE, 0])
    state.isAway = false
    await clock.advance(600)
    expect(await send()).toEqual({ kind: 'ran', result: 1 })
  })

  it('A9 does not wait for a fault that does not pass, nor when its action is best-effort', async () => {
    expect(await setUp({ mayRecover: false }).send()).toEqual(UNAVAILABLE)
    expect(await setUp().send({ bestEffort: true })).toEqual({ kind: 'ran', result: 1 })
  })

  it('A9 ends its wait when the client disconnects', async () => {
    const { clock, state, send } = setUp()
    const left = new AbortController()
    const refused = send({ signal: left.signal })
    await clock.advance(500)
    left.abort()
    await clock.advance(0)
    expect([await refused, state.runs]).toEqual([UNAVAILABLE, 0])
  })

  it.each([
    ['number', createWaitingRoom(2, 1000)],
    ['bytes', createWaitingRoom(10, 250)],
  ])('A9 does not wait above the bound for the %s of those that wait', async (_what, room) => {
    const { clock, state, send } = setUp({ room })
    const waiting = [send({ id: 'a' }), send({ id: 'b' })]
    await clock.advance(0)
    expect(await send({ id: 'c' })).toEqual(UNAVAILABLE)
    state.isAway = false
    await clock.advance(300)
    expect((await Promise.all(waiting)).map(({ kind }) => kind)).toEqual(['ran', 'ran'])
    // Their places are free again.
    expect(room.enter(200)).toBeDefined()
  })
})

it('A9 a run that did nothing leaves no record, also when the store is away at its end', async () => {
  const { clock, state, send, submitOnce } = setUp()
  state.isAway = false
  const refuse = async () => {
    state.isAway = true
    return { result: 0, kept: undefined }
  }
  expect(await submitOnce(SUBMISSION, refuse)).toEqual({ kind: 'ran', result: 0 })
  state.isAway = false
  await clock.advance(600)
  expect(await send()).toEqual({ kind: 'ran', result: 1 })
})

it('A9 a submission that waits counts with its arguments and fields, but not with its files', async () => {
  const entered: number[] = []
  const room = {
    enter(bytes: number) {
      entered.push(bytes)
      return undefined
    },
  }
  const away = { begin: () => Promise.reject(new Error('away')), abandon: async () => {}, mayRecover: () => true }
  const { url, stop } = await startActions({
    actions: { save: () => {} },
    store: { ...createTestStore(systemClock), ...away },
    waiting: { room },
  })
  onTestFinished(stop)
  const text = 'x'.repeat(5000)
  const formOf = (...fields: [string, string][]) => {
    const form = new FormData()
    for (const [name, value] of fields) form.append(name, value)
    form.append('file', new File(['y'.repeat(100_000)], 'y.png'))
    return form
  }
  const headers = { 'portico-action': 'save', 'idempotency-key': createKey() }
  const responses = [
    await callAction(url, 'save', [text]),
    await postForm(url, formOf(['$args', '[{"$portico":"form"}]'], ['name', text]), { headers }),
    await postForm(url, formOf(['$ACTION_ID_save', ''], ['$portico_key', createKey()], ['name', text])),
  ]
  expect(responses.map(({ status }) => status)).toEqual([503, 503, 503])
  expect(entered.map((bytes) => Math.floor(bytes / 1000))).toEqual([5, 5, 5])
})
