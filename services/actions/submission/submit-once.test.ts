// One run per submission, with a clock that is stopped (A5, A9).

import { createLog } from '@portico/shared/kit/observe/log.ts'
import { describe, expect, it } from 'vitest'
import type { SubmissionStore } from '../store/submission-store.ts'
import { createFakeClock } from '../testing/fake-clock.ts'
import { createTestStore, HOLDER } from '../testing/test-store.ts'
import { createSubmitOnce, type Submission } from './submit-once.ts'

const log = createLog('actions', 'silent')

function setUp(change: (store: SubmissionStore) => SubmissionStore = (store) => store) {
  const clock = createFakeClock()
  const store = change(createTestStore(clock))
  let refused = 0
  const onRefused = () => void refused++
  return { clock, store, submitOnce: createSubmitOnce({ store, clock, log, onRefused }), refused: () => refused }
}

function submission(more: Partial<Submission> = {}): Submission {
  return {
    id: 'r',
    otherIds: [],
    fingerprint: 'f',
    holder: HOLDER,
    keepMs: 86_400_000,
    bytes: 100,
    safeToRepeat: false,
    bestEffort: false,
    waitMs: 30_000,
    signal: new AbortController().signal,
    ...more,
  }
}

/** A run that ends when the test ends it. */
function gate() {
  let open = (_text: string) => {}
  const opened = new Promise<string>((done) => {
    open = done
  })
  let runs = 0
  return {
    open: (text: string) => open(text),
    runs: () => runs,
    run: async () => {
      runs++
      const text = await opened
      return { result: text, kept: { status: 200, body: text } }
    },
  }
}

describe('a submission', () => {
  it('A5 runs once: the second arrival waits and gets the first response', async () => {
    const { clock, submitOnce } = setUp()
    const { run, open, runs } = gate()
    const [first, second] = [submitOnce(submission(), run), submitOnce(submission(), run)]
    await clock.advance(500)
    open('done')
    await clock.advance(500)
    expect(await first).toEqual({ kind: 'ran', result: 'done' })
    expect(await second).toEqual({ kind: 'repeated', kept: { status: 200, body: 'done' } })
    expect(await submitOnce(submission(), run)).toEqual({ kind: 'repeated', kept: { status: 200, body: 'done' } })
    expect(runs()).toBe(1)
  })

  it('A5 refuses the same key with another body, while it runs and afterwards', async () => {
    const { clock, submitOnce } = setUp()
    const { run, open } = gate()
    const first = submitOnce(submission(), run)
    await clock.advance(0)
    expect(await submitOnce(submission({ fingerprint: 'g' }), run)).toEqual({ kind: 'other-body' })
    open('done')
    await first
    expect(await submitOnce(submission({ fingerprint: 'g' }), run)).toEqual({ kind: 'other-body' })
  })

  it('A9 keeps its lease for as long as it runs', async () => {
    const { clock, submitOnce } = setUp()
    const { run, open, runs } = gate()
    const first = submitOnce(submission(), run)
    await clock.advance(60_000)
    const second = submitOnce(submission(), run)
    await clock.advance(1000)
    open('done')
    await clock.advance(1000)
    expect([(await first).kind, (await second).kind, runs()]).toEqual(['ran', 'repeated', 1])
  })

  it('A9 responds unknown when the owner died, ten seconds after its last renewal', async () => {
    const { clock, store, submitOnce } = setUp()
    const { run, runs } = gate()
    await store.begin('r', {
      fingerprint: 'f',
      owner: 'dead',
      holder: HOLDER,
      leaseMs: 10_000,
      keepMs: 1000,
      takeOver: false,
    })
    const waiting = submitOnce(submission(), run)
    let settled = false
    void waiting.then(() => {
      settled = true
    })
    await clock.advance(9_900)
    expect(settled).toBe(false)
    await clock.advance(400)
    expect([await waiting, runs()]).toEqual([{ kind: 'unknown' }, 0])
  })

  it('A9 runs again after a dead owner when the action is safe to repeat', async () => {
    const { clock, store, submitOnce } = setUp()
    const { run, open, runs } = gate()
    await store.begin('r', {
      fingerprint: 'f',
      owner: 'dead',
      holder: HOLDER,
      leaseMs: 10_000,
      keepMs: 60_000,
      takeOver: false,
    })
    const [one, two] = [1, 2].map(() => submitOnce(submission({ safeToRepeat: true }), run))
    await clock.advance(11_000)
    open('again')
    await clock.advance(1000)
    expect([(await one)?.kind, (await two)?.kind].sort()).toEqual(['ran', 'repeated'])
    expect(runs()).toBe(1)
  })

  it('A5 ends the wait after its limit', async () => {
    const { clock, submitOnce } = setUp()
    const { run } = gate()
    void submitOnce(submission(), run)
    const second = submitOnce(submission({ waitMs: 5000 }), run)
    await clock.advance(5500)
    expect(await second).toEqual({ kind: 'late' })
  })

  it('A5 ends the wait when the client disconnects', async () => {
    const { clock, submitOnce } = setUp()
    const { run } = gate()
    const left = new AbortController()
    void submitOnce(submission(), run)
    const second = submitOnce(submission({ signal: left.signal }), run)
    await clock.advance(100)
    left.abort()
    expect(await second).toEqual({ kind: 'late' })
  })

  it('A5 runs again when the first run did nothing', async () => {
    const { submitOnce } = setUp()
    const refused = async () => ({ result: 'invalid', kept: undefined })
    const accepted = async () => ({ result: 'ok', kept: { status: 200 } })
    expect(await submitOnce(submission(), refused)).toEqual({ kind: 'ran', result: 'invalid' })
    expect(await submitOnce(submission(), accepted)).toEqual({ kind: 'ran', result: 'ok' })
  })

  it('A5 stores the response for ten minutes, and its status for 24 hours', async () => {
    const { clock, submitOnce } = setUp()
    let runs = 0
    const run = async () => ({ result: ++runs, kept: { status: 200, body: 'x' } })
    await submitOnce(submission(), run)
    await clock.advance(599_000)
    expect(await submitOnce(submission(), run)).toEqual({ kind: 'repeated', kept: { status: 200, body: 'x' } })
    await clock.advance(1000)
    expect(await submitOnce(submission(), run)).toEqual({ kind: 'repeated', kept: { status: 200 } })
    await clock.advance(85_799_000)
    await submitOnce(submission(), run)
    expect(runs).toBe(1)
    await clock.advance(2000)
    await submitOnce(submission(), run)
    expect(runs).toBe(2)
  })
})

describe('a store without room', () => {
  const full = async () => ({ kind: 'full' }) as const

  it('A5 refuses before anything runs, and counts the refusal', async () => {
    const { submitOnce, refused } = setUp((store) => ({ ...store, begin: full }))
    const { run, runs } = gate()
    expect([await submitOnce(submission(), run), runs(), refused()]).toEqual([{ kind: 'unavailable' }, 0, 1])
  })

  it('A9 runs a best-effort action without a record', async () => {
    const { submitOnce } = setUp((store) => ({ ...store, begin: full }))
    const run = async () => ({ result: 1, kept: { status: 200 } })
    expect(await submitOnce(submission({ bestEffort: true }), run)).toEqual({ kind: 'ran', result: 1 })
  })
})

describe('a store that is unavailable', () => {
  const away = async (): Promise<never> => {
    throw new Error('away')
  }

  it('A9 refuses before anything runs', async () => {
    const { submitOnce } = setUp((store) => ({ ...store, begin: away }))
    const { run, runs } = gate()
    expect([await submitOnce(submission(), run), runs()]).toEqual([{ kind: 'unavailable' }, 0])
  })

  it('A9 runs a best-effort action without a record', async () => {
    const { submitOnce } = setUp((store) => ({ ...store, begin: away }))
    const run = async () => ({ result: 1, kept: { status: 200 } })
    expect(await submitOnce(submission({ bestEffort: true }), run)).toEqual({ kind: 'ran', result: 1 })
  })

  it('A9 abandons a record that a seemingly failed command has written', async () => {
    let fails = true
    const { clock, submitOnce } = setUp((store) => ({
      ...store,
      async begin(id, options) {
        const found = await store.begin(id, options)
        if (fails) throw new Error('timed out')
        return found
      },
    }))
    const run = async () => ({ result: 1, kept: { status: 200 } })
    expect(await submitOnce(submission(), run)).toEqual({ kind: 'unavailable' })
    fails = false
    await clock.advance(600)
    expect(await submitOnce(submission(), run)).toEqual({ kind: 'ran', result: 1 })
  })

  it('A5 starts again after a response that was to be kept for ten seconds, and could not be stored', async () => {
    const { clock, submitOnce } = setUp((store) => ({ ...store, finish: away }))
    let runs = 0
    const run = async () => ({ result: ++runs, kept: { status: 500 }, keepMs: 10_000 })
    await submitOnce(submission(), run)
    const during = submitOnce(submission({ waitMs: 5000 }), run)
    await clock.advance(9900)
    expect([(await during).kind, runs]).toEqual(['late', 1])
    await clock.advance(700)
    expect([(await submitOnce(submission(), run)).kind, runs]).toEqual(['ran', 2])
  })

  it('A9 returns the result of a run although its response cannot be stored', async () => {
    const { submitOnce } = setUp((store) => ({ ...store, finish: away }))
    expect(await submitOnce(submission(), async () => ({ result: 1, kept: { status: 200 } }))).toEqual({
      kind: 'ran',
      result: 1,
    })
  })
})
