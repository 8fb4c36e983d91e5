// Responses when the outcome is unknown or the action may not run (A9): dead owners, unavailable store, time limits.

import { describe, expect, it } from 'vitest'
import type { SubmissionStore } from '../store/submission-store.ts'
import { createFakeClock } from '../testing/fake-clock.ts'
import { callAction, createKey, postForm } from '../testing/requests.ts'
import { currentContext, defined, type StartOptions, useActions } from '../testing/start-actions.ts'
import { createTestStore } from '../testing/test-store.ts'

const start = useActions()

const FIELDS: [string, string][] = [
  ['$ACTION_ID_add', ''],
  ['name', 'x'],
]
/** A known client: without a cookie and a key there is no record. */
const KNOWN = { headers: { cookie: 'portico-visitor=kkkkkkkkkkkkkkkkkkkkkk' } }

describe('an owner that died', () => {
  /** A store in which every record is held by an owner that never renews. */
  async function withDeadOwner(options: StartOptions['actions']) {
    const clock = createFakeClock()
    const store = createTestStore(clock)
    let isFirst = true
    const running = await start({
      ...(options ? { actions: options } : {}),
      clock,
      store: {
        ...store,
        async begin(id, begin) {
          if (isFirst) {
            isFirst = false
            await store.begin(id, { ...begin, owner: 'dead' })
            await clock.advance(10_001)
          }
          return store.begin(id, begin)
        },
      },
    })
    return running
  }

  it('A9 results in 409 unknown', async () => {
    let runs = 0
    const { url } = await withDeadOwner({ add: () => ++runs })
    const response = await callAction(url, 'add', [])
    expect([response.status, await response.json(), runs]).toEqual([409, { kind: 'unknown' }, 0])
  })

  it('A9 results in a screen which says that the action may have run', async () => {
    const { url } = await withDeadOwner({ add: () => 1 })
    const response = await postForm(url, FIELDS, KNOWN)
    expect([response.status, await response.text()]).toEqual([409, expect.stringContaining('may or may not')])
  })

  it('A9 is replaced when the action is safe to repeat', async () => {
    const { url } = await withDeadOwner({ add: defined({ safeToRepeat: true }, () => 'again') })
    expect(await (await callAction(url, 'add', [])).json()).toMatchObject({ kind: 'value', value: 'again' })
  })
})

describe('a state store that is unavailable', () => {
  const awayStore = (): SubmissionStore => ({
    ...createTestStore({ now: Date.now }),
    begin: async () => {
      throw new Error('away')
    },
  })

  it('A9 results in 503 and Retry-After before anything runs', async () => {
    let runs = 0
    const { url } = await start({ store: awayStore(), actions: { add: () => ++runs } })
    const scripted = await callAction(url, 'add', [])
    expect([scripted.status, scripted.headers.get('retry-after')]).toEqual([503, '2'])
    const form = await postForm(url, FIELDS, KNOWN)
    expect([form.status, await form.text()]).toEqual([503, expect.stringContaining('nothing was done')])
    expect(runs).toBe(0)
  })

  it('A9 does not stop a post without a record: without key and cookie', async () => {
    const { url } = await start({ store: awayStore(), actions: { add: () => 1 } })
    expect((await postForm(url, FIELDS)).status).toBe(303)
  })

  it('A9 does not stop an action that was declared best-effort', async () => {
    const { url } = await start({
      store: awayStore(),
      actions: { add: defined({ idempotency: 'best-effort' }, () => 'ran') },
    })
    expect(await (await callAction(url, 'add', [])).json()).toMatchObject({ value: 'ran' })
  })
})

describe('an action that is late', () => {
  it('A7 results in 504, its signal aborts, and a repeat gets "unknown"', async () => {
    let reason: unknown
    const { url, lines } = await start({
      actions: {
        slow: defined({ timeoutMs: 30 }, async () => {
          const { signal } = currentContext()
          signal.addEventListener('abort', () => {
            reason = signal.reason
          })
          await new Promise((done) => setTimeout(done, 80))
        }),
      },
    })
    const key = createKey()
    expect((await callAction(url, 'slow', [], { key })).status).toBe(504)
    expect(String(reason)).toContain('time limit')
    expect((await callAction(url, 'slow', [], { key })).status).toBe(409)
    expect(lines.filter(({ msg }) => msg === 'action reached its time limit')).toHaveLength(1)
  })

  it('A9 may be run again when it is safe to repeat', async () => {
    let pauseMs = 80
    const { url } = await start({
      actions: {
        slow: defined({ timeoutMs: 30, safeToRepeat: true }, () => new Promise((done) => setTimeout(done, pauseMs))),
      },
    })
    const key = createKey()
    expect((await callAction(url, 'slow', [], { key })).status).toBe(504)
    pauseMs = 0
    expect((await callAction(url, 'slow', [], { key })).status).toBe(200)
  })
})
