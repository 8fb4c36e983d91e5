// How long which parts of a submission are stored, through the service's port (A5, W4).

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { notFound, redirect } from '@portico/shared/wire/errors/control-flow.ts'
import { describe, expect, it } from 'vitest'
import { createSqliteStore } from '../store/sqlite-store.ts'
import { createFakeClock } from '../testing/fake-clock.ts'
import { callAction, createKey, postForm } from '../testing/requests.ts'
import { currentContext, defined, useActions } from '../testing/start-actions.ts'

const start = useActions()

const TEN_MINUTES_MS = 600_000
const DAY_MS = 86_400_000
const MINE = { headers: { cookie: `portico-visitor=${'m'.repeat(32)}`, 'portico-fresh': 'none' } }

/** Actions that count their runs. */
function createActions() {
  const runs = { count: 0 }
  const actions = {
    add: () => {
      currentContext().setCookies.push('run=1')
      return ++runs.count
    },
    go: () => {
      runs.count++
      redirect('/thanks?for=it')
    },
    fail: () => {
      runs.count++
      throw new Error('no')
    },
    slow: defined({ timeoutMs: 50 }, () => {
      runs.count++
      return new Promise(() => {})
    }),
  }
  return { runs, actions }
}

describe('a repeat', () => {
  it('A5 W4 gets the first response for ten minutes, then "done" for a day, and never runs again', async () => {
    const { runs, actions } = createActions()
    const clock = createFakeClock()
    const { url } = await start({ actions, clock })
    const key = createKey()
    const send = () => callAction(url, 'add', [1], { key, ...MINE })
    await send()
    await clock.advance(TEN_MINUTES_MS - 1)
    const repeated = await send()
    expect(await repeated.json()).toEqual({ kind: 'value', value: 1, revalidated: false })
    expect(repeated.headers.getSetCookie()).toEqual(['run=1'])
    await clock.advance(1)
    const late = await send()
    expect([late.status, await late.json()]).toEqual([200, { kind: 'done', status: 200 }])
    expect(late.headers.getSetCookie()).toEqual([])
    await clock.advance(DAY_MS - TEN_MINUTES_MS - 1)
    expect(await (await send()).json()).toEqual({ kind: 'done', status: 200 })
    expect(runs.count).toBe(1)
    await clock.advance(1)
    await send()
    expect(runs.count).toBe(2)
  })

  it.each([
    ['go', { kind: 'done', status: 303, location: '/thanks?for=it' }],
    ['fail', { kind: 'done', status: 500 }],
  ])('W4 of "%s" later gets the status of the first run', async (action, expected) => {
    const { runs, actions } = createActions()
    const clock = createFakeClock()
    const { url } = await start({ actions, clock })
    const key = createKey()
    await callAction(url, action, [], { key, ...MINE })
    await clock.advance(TEN_MINUTES_MS)
    const late = await callAction(url, action, [], { key, ...MINE })
    expect([late.status, await late.json(), runs.count]).toEqual([200, expected, 1])
  })

  it.each([
    ['go', '/thanks?for=it'],
    ['add', '/places/x?tab=1'],
  ])(
    'W4 of "%s" without JavaScript is redirected to the location of the first response, also later',
    async (action, location) => {
      const { runs, actions } = createActions()
      const clock = createFakeClock()
      const { url } = await start({ actions, clock })
      const fields: [string, string][] = [
        [`$ACTION_ID_${action}`, ''],
        ['$portico_key', createKey()],
      ]
      await postForm(url, fields, { path: '/places/x?tab=1', ...MINE })
      await clock.advance(TEN_MINUTES_MS)
      const late = await postForm(url, fields, { path: '/places/x?tab=1', ...MINE })
      expect([late.status, late.headers.get('location'), runs.count]).toEqual([303, location, 1])
    },
  )

  it('A5 with another body is refused while the record exists', async () => {
    const { actions } = createActions()
    const clock = createFakeClock()
    const { url } = await start({ actions, clock })
    const key = createKey()
    await callAction(url, 'add', [1], { key, ...MINE })
    await clock.advance(TEN_MINUTES_MS)
    expect((await callAction(url, 'add', [2], { key, ...MINE })).status).toBe(422)
  })

  it('A7 of a run that reached its time limit gets "unknown" for a day', async () => {
    const { runs, actions } = createActions()
    const clock = createFakeClock()
    const { url } = await start({ actions, clock })
    const key = createKey()
    const first = callAction(url, 'slow', [], { key, ...MINE })
    await expect.poll(() => runs.count).toBe(1)
    await clock.advance(100)
    expect((await first).status).toBe(504)
    await clock.advance(TEN_MINUTES_MS)
    const late = await callAction(url, 'slow', [], { key, ...MINE })
    expect([late.status, await late.json(), runs.count]).toEqual([409, { kind: 'unknown' }, 1])
  })

  it('A5 of a response that is too large to store even without its value gets "done"', async () => {
    const cookies = Array.from({ length: 20 }, (_, n) => `c${n}=${'x'.repeat(4000)}`)
    const { url } = await start({ actions: { many: () => void currentContext().setCookies.push(...cookies) } })
    const key = createKey()
    // More headers than undici reads by default: the test only needs the run.
    await callAction(url, 'many', [], { key, ...MINE }).catch(() => undefined)
    const repeated = await callAction(url, 'many', [], { key, ...MINE })
    expect(await repeated.json()).toEqual({ kind: 'done', status: 200 })
  })
})

describe('an action that threw', () => {
  const failing = () => {
    const runs = { count: 0 }
    const save = () => {
      if (++runs.count === 1) throw new Error('the disk is full')
      redirect('/saved')
    }
    return { runs, actions: { save } }
  }
  const fieldsOf = (action: string, name = 'Ada'): [string, string][] => [
    [`$ACTION_ID_${action}`, ''],
    ['$portico_key', 'a-rendered-key-of-22-ch'],
    ['name', name],
  ]
  const digestOf = async (response: Response) => {
    const [digest] = /\b[0-9a-f]{10}\b/.exec(await response.text()) ?? ['no digest']
    return [response.status, digest]
  }

  it('A5 without JavaScript is remembered for ten seconds; then its form runs again, and what it did is kept', async () => {
    const { runs, actions } = failing()
    const clock = createFakeClock()
    const { url } = await start({ actions, clock })
    const send = () => postForm(url, fieldsOf('save'), MINE)
    const first = await digestOf(await send())
    expect(first).toEqual([500, expect.stringMatching(/^[0-9a-f]{10}$/)])
    await clock.advance(9999)
    expect(await digestOf(await send())).toEqual(first)
    expect(runs.count).toBe(1)
    await clock.advance(1)
    for (const passMs of [0, 11_000, TEN_MINUTES_MS, DAY_MS - TEN_MINUTES_MS - 11_001]) {
      await clock.advance(passMs)
      const again = await send()
      expect([again.status, again.headers.get('location'), runs.count]).toEqual([303, '/saved', 2])
    }
  })

  it('A5 is remembered from its end on, for copies that waited too, and other fields are not a copy', async () => {
    let runs = 0
    const clock = createFakeClock()
    const fail = async () => {
      runs++
      await clock.sleep(20_000)
      throw new Error('no')
    }
    const { url } = await start({ actions: { fail }, clock })
    const copies = [1, 2].map(() => postForm(url, fieldsOf('fail'), MINE))
    await expect.poll(() => runs).toBe(1)
    // The second copy has arrived, and waits.
    await new Promise((done) => setTimeout(done, 100))
    await clock.advance(20_300)
    const [first, second] = await Promise.all(copies.map(async (copy) => digestOf(await copy)))
    expect([second, runs]).toEqual([first, 1])
    await clock.advance(9600)
    expect([await digestOf(await postForm(url, fieldsOf('fail'), MINE)), runs]).toEqual([first, 1])
    const other = postForm(url, fieldsOf('fail', 'Ole'), MINE)
    await expect.poll(() => runs).toBe(2)
    await clock.advance(20_000)
    expect((await other).status).toBe(500)
  })

  it('A5 is remembered as any response for the key of a call with JavaScript, whose response was lost', async () => {
    const { runs, actions } = failing()
    const clock = createFakeClock()
    const { url } = await start({ actions, clock })
    const key = createKey()
    const form = () => {
      const body = new FormData()
      body.append('$args', '[{"$portico":"form"}]')
      body.append('name', 'Ada')
      const headers = { 'portico-action': 'save', 'idempotency-key': key, ...MINE.headers }
      return postForm(url, body, { headers })
    }
    const first = await digestOf(await form())
    await clock.advance(11_000)
    expect([await digestOf(await form()), runs.count]).toEqual([first, 1])
    await clock.advance(TEN_MINUTES_MS)
    const late = await form()
    expect([await late.json(), runs.count]).toEqual([{ kind: 'done', status: 500 }, 1])
  })

  it.each([
    ['late', 409],
    ['go', 303],
    ['gone', 404],
  ])('A5 A9 without JavaScript is not one that ended otherwise: "%s" is kept for a day', async (action, status) => {
    const { runs, actions } = createActions()
    const clock = createFakeClock()
    const gone = () => {
      runs.count++
      notFound()
    }
    const { url } = await start({ actions: { ...actions, gone, late: actions.slow }, clock })
    const first = postForm(url, fieldsOf(action), MINE)
    await expect.poll(() => runs.count).toBe(1)
    await clock.advance(100)
    await first
    for (const passMs of [11_000, TEN_MINUTES_MS - 1]) {
      await clock.advance(passMs)
      const again = await postForm(url, fieldsOf(action), MINE)
      // After ten minutes only status and location are kept.
      expect([again.status, runs.count]).toEqual([passMs > 11_000 && status === 404 ? 303 : status, 1])
    }
    await clock.advance(DAY_MS)
    void postForm(url, fieldsOf(action), MINE).catch(() => {})
    await expect.poll(() => runs.count).toBe(2)
    await clock.advance(100)
  })

  it('A5 without a key, from a cacheable page, is remembered for ten seconds or until the counter changes', async () => {
    const { runs, actions } = createActions()
    const clock = createFakeClock()
    const { url } = await start({ actions, clock })
    const fields: [string, string][] = [['$ACTION_ID_fail', '']]
    const first = await postForm(url, fields, MINE)
    const [cookie = ''] = first.headers.getSetCookie().map((line) => line.split(';')[0] ?? '')
    expect(cookie).toMatch(/^portico-visitor=m{32}\.\d+$/)
    const digest = await digestOf(first)
    await clock.advance(9999)
    expect([await digestOf(await postForm(url, fields, MINE)), runs.count]).toEqual([digest, 1])
    await postForm(url, fields, { headers: { cookie } })
    expect(runs.count).toBe(2)
    await clock.advance(1)
    await postForm(url, fields, MINE)
    expect(runs.count).toBe(3)
  })

  it('A5 is remembered over a restart, and its key is free ten seconds after its end', async () => {
    const { runs, actions } = failing()
    const clock = createFakeClock()
    const dir = await mkdtemp(join(tmpdir(), 'portico-thrown-'))
    const file = join(dir, 'submissions.sqlite')
    const restart = () => start({ actions, clock, store: (deps) => createSqliteStore({ file, ...deps }) })
    const before = await restart()
    const first = await digestOf(await postForm(before.url, fieldsOf('save'), MINE))
    await before.stop()
    await clock.advance(9000)
    const after = await restart()
    expect([await digestOf(await postForm(after.url, fieldsOf('save'), MINE)), runs.count]).toEqual([first, 1])
    await clock.advance(1000)
    expect((await postForm(after.url, fieldsOf('save'), MINE)).status).toBe(303)
    expect(runs.count).toBe(2)
    await rm(dir, { recursive: true })
  })
})

describe('a flood from one address', () => {
  const from = (address: string, cookie?: string) => ({
    headers: { 'x-forwarded-for': address, 'portico-fresh': 'none', ...(cookie !== undefined && { cookie }) },
  })
  const text = 'x'.repeat(60_000)

  it('A5 displaces its own responses, closes no form, and displaces no response of other clients', async () => {
    let runs = 0
    const { url, metrics } = await start({
      actions: { echo: () => `${++runs} ${text}` },
      budgets: { client: 300_000, address: 500_000, total: 1_000_000 },
    })
    const mine = Array.from({ length: 5 }, (_, n) => ({
      key: createKey(),
      ...from(`198.51.100.${n}`, `portico-visitor=${'m'.repeat(30)}-${n}`),
    }))
    const before = []
    for (const call of mine) before.push(await (await callAction(url, 'echo', [], call)).text())
    const statuses = new Set<number>()
    for (let n = 0; n < 120; n++) {
      const address = `2001:db8:0:${n % 3}::${n}`
      statuses.add((await callAction(url, 'echo', [n], { key: createKey(), ...from(address) })).status)
      const keyless = await postForm(
        url,
        [
          ['$ACTION_ID_echo', ''],
          ['n', `${n}`],
        ],
        from(address),
      )
      statuses.add(keyless.status)
    }
    expect([...statuses].sort()).toEqual([200, 303])
    const after = []
    for (const call of mine) after.push(await (await callAction(url, 'echo', [], call)).text())
    expect(after).toEqual(before)
    expect(runs).toBe(5 + 240)
    const text1 = await metrics()
    expect(text1).toMatch(
      /portico_submissions_dropped_total\{part="body",reason="(?:address|total)",service="actions"\} \d/,
    )
    expect(text1).toMatch(/portico_submissions_refused_total\{service="actions"\} 0/)
  })

  it('A5 is refused with 503 and Retry-After before anything runs when all its records are running', async () => {
    const gates: (() => void)[] = []
    const { url, metrics } = await start({
      actions: { wait: () => new Promise<void>((done) => void gates.push(done)), quick: () => 1 },
      budgets: { client: 1e6, address: 3 * 1536, total: 1e6 },
    })
    const running = [1, 2, 3].map(() => callAction(url, 'wait', [], { key: createKey(), ...from('192.0.2.1') }))
    await expect.poll(() => gates.length).toBe(3)
    const refused = await callAction(url, 'quick', [], { key: createKey(), ...from('192.0.2.1') })
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '2'])
    expect((await callAction(url, 'quick', [], { key: createKey(), ...from('192.0.2.2') })).status).toBe(200)
    expect(await metrics()).toMatch(/portico_submissions_refused_total\{service="actions"\} 1/)
    for (const open of gates) open()
    expect((await Promise.all(running)).map(({ status }) => status)).toEqual([200, 200, 200])
    expect((await callAction(url, 'quick', [], { key: createKey(), ...from('192.0.2.1') })).status).toBe(200)
  })
})
