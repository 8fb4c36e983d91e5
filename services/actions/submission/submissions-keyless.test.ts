// Forms of cacheable pages have no key: which posts are one submission is decided by the client's cookie and its
// counter, never by what many clients share (A5).

import { notFound } from '@portico/shared/wire/errors/control-flow.ts'
import { describe, expect, it } from 'vitest'
import { type Clock, systemClock } from '../clock.ts'
import { callAction, createKey, postForm } from '../testing/requests.ts'
import { currentContext, defined, useActions } from '../testing/start-actions.ts'

const start = useActions()

const FIELDS: [string, string][] = [
  ['$ACTION_ID_enter', ''],
  ['name', 'x'],
]
const ID = 'c'.repeat(32)

/** An action that takes a moment and opens a new session at each run. */
function entrance(pauseMs = 60) {
  const counter = { runs: 0 }
  const enter = async () => {
    currentContext().setCookies.push(`session=secret-${++counter.runs}`)
    await new Promise((done) => setTimeout(done, pauseMs))
  }
  return { counter, enter }
}

/** The cookies of the browser after the response. */
function cookiesOf(response: Response, name: string): string | undefined {
  const set = response.headers.getSetCookie().find((text) => text.startsWith(`${name}=`))
  return set?.split(';')[0]
}

const post = (url: string, cookie?: string, fields = FIELDS, more: Record<string, string> = {}) =>
  postForm(url, fields, { headers: { ...(cookie !== undefined && { cookie }), ...more } })

describe('a form without a key', () => {
  it('A5 two clients behind one address never share a session', async () => {
    const { counter, enter } = entrance()
    const { url, metrics } = await start({ actions: { enter } })
    const shared = { 'x-forwarded-for': '203.0.113.7', 'user-agent': 'one browser of many' }
    const responses = await Promise.all([1, 2, 3].map(() => post(url, undefined, FIELDS, shared)))
    expect(new Set(responses.map((response) => cookiesOf(response, 'session'))).size).toBe(3)
    expect(new Set(responses.map((response) => cookiesOf(response, 'portico-visitor'))).size).toBe(3)
    expect(counter.runs).toBe(3)
    // There is no record of these submissions.
    expect(await metrics()).not.toMatch(/submissions_kept_total\{/)
  })

  it('A5 the first response sets the cookie, and a double click with the cookie runs once', async () => {
    const { counter, enter } = entrance()
    const { url } = await start({ actions: { enter: async () => void (await enter()) } })
    const cookie = cookiesOf(await post(url), 'portico-visitor')
    expect(cookie).toMatch(/^portico-visitor=[\w-]{32}$/)
    const twice = await Promise.all([post(url, cookie), post(url, cookie)])
    expect(twice.map((response) => cookiesOf(response, 'session'))).toEqual(['session=secret-2', 'session=secret-2'])
    for (const response of twice) expect(cookiesOf(response, 'portico-visitor')).toMatch(`${cookie}.`)
    expect(counter.runs).toBe(2)
  })

  it('A5 equal fields are a new submission after the response has rotated the counter', async () => {
    const { counter, enter } = entrance(0)
    const { url } = await start({ actions: { enter } })
    let cookie = `portico-visitor=${ID}`
    for (const expected of [1, 2, 3]) {
      cookie = cookiesOf(await post(url, cookie), 'portico-visitor') ?? ''
      expect(cookie).toMatch(/^portico-visitor=c{32}\.\d{1,9}$/)
      expect(counter.runs).toBe(expected)
    }
  })

  it('A5 a late response of another tab brings back no counter that was used', async () => {
    let runs = 0
    const { promise: held, resolve: release } = Promise.withResolvers<void>()
    const { url } = await start({ actions: { enter: () => void ++runs, slow: () => held } })
    let cookie = `portico-visitor=${ID}.5`
    const slow = post(url, cookie, [['$ACTION_ID_slow', '']])
    for (let n = 0; n < 3; n++) cookie = cookiesOf(await post(url, cookie), 'portico-visitor') ?? ''
    release()
    cookie = cookiesOf(await slow, 'portico-visitor') ?? ''
    for (let n = 0; n < 3; n++) cookie = cookiesOf(await post(url, cookie), 'portico-visitor') ?? ''
    expect(runs).toBe(6)
  })

  it.each(['an error', 'not found'])('A5 %s completes a submission, too', async (end) => {
    let runs = 0
    const enter = () => {
      runs++
      if (end === 'not found') return notFound()
      throw new Error('fault')
    }
    const { url, renderer } = await start({ actions: { enter } })
    await renderer.close()
    let cookie = `portico-visitor=${ID}`
    for (let n = 1; n <= 2; n++) {
      const twice = await Promise.all([post(url, cookie), post(url, cookie)])
      expect(twice.map(({ status }) => status)).toEqual(end === 'an error' ? [500, 500] : [404, 404])
      expect(runs).toBe(n)
      cookie = cookiesOf(twice[1]!, 'portico-visitor') ?? ''
    }
  })

  it('A5 after the time limit the counter is the same, because the effect is unknown', async () => {
    const { url } = await start({ actions: { enter: defined({ timeoutMs: 20 }, () => new Promise(() => {})) } })
    const cookie = `portico-visitor=${ID}.5`
    const first = await post(url, cookie)
    expect([first.status, cookiesOf(first, 'portico-visitor')]).toEqual([504, undefined])
    expect((await post(url, cookie)).status).toBe(409)
  })

  it('A5 each post to an action with repeat: allow runs; posts with one key run once', async () => {
    let runs = 0
    const { url } = await start({ actions: { enter: defined({ repeat: 'allow' }, () => void ++runs) } })
    const cookie = `portico-visitor=${ID}`
    await Promise.all([post(url, cookie), post(url, cookie)])
    expect(runs).toBe(2)
    for (let n = 0; n < 2; n++) await post(url, cookie, [...FIELDS, ['$portico_key', 'k'.repeat(22)]])
    for (let n = 0; n < 2; n++) await callAction(url, 'enter', [], { key: 's'.repeat(32), headers: { cookie } })
    expect(runs).toBe(4)
  })

  it('A5 the counter of one client changes nothing for another client', async () => {
    const { counter, enter } = entrance(0)
    const { url } = await start({ actions: { enter } })
    for (const id of [ID, 'd'.repeat(32)]) await post(url, `portico-visitor=${id}.7`)
    // A session is another client, with any cookie.
    for (const session of ['mine', 'another']) await post(url, `session=${session}; portico-visitor=${ID}.7`)
    expect(counter.runs).toBe(4)
  })

  it('A5 one counter is valid for ten seconds, for one action and its fields', async () => {
    const { counter, enter } = entrance(0)
    let offsetMs = 0
    const clock: Clock = { ...systemClock, now: () => Date.now() + offsetMs }
    const { url } = await start({ actions: { enter, leave: enter }, clock })
    const cookie = `portico-visitor=${ID}.7`
    for (let n = 0; n < 2; n++) await post(url, cookie)
    expect(counter.runs).toBe(1)
    await post(url, cookie, [...FIELDS, ['more', '1']])
    await post(url, cookie, [
      ['$ACTION_ID_leave', ''],
      ['name', 'x'],
    ])
    expect(counter.runs).toBe(3)
    offsetMs = 10_500
    await post(url, cookie)
    expect(counter.runs).toBe(4)
  })

  it('A5 a client with a session runs once too, and gets the cookie with its response', async () => {
    const { counter, enter } = entrance()
    const { url } = await start({ actions: { enter } })
    const twice = await Promise.all([post(url, 'session=mine'), post(url, 'session=mine')])
    expect(twice.map(({ status }) => status)).toEqual([303, 303])
    expect(counter.runs).toBe(1)
    await post(url, 'session=another')
    expect(counter.runs).toBe(2)
    const cookie = cookiesOf(twice[1], 'portico-visitor')
    await post(url, `session=mine; ${cookie}`)
    expect(counter.runs).toBe(3)
  })

  it('A5 cookies of earlier versions are valid', async () => {
    const { counter, enter } = entrance(0)
    const { url } = await start({ actions: { enter } })
    const cookie = `portico-visitor=m5x2k9ab-${'v'.repeat(32)}`
    for (let n = 0; n < 2; n++) expect(cookiesOf(await post(url, cookie), 'portico-visitor')).toMatch(`${cookie}.`)
    expect(counter.runs).toBe(1)
  })

  it('A5 refused input does not change the counter', async () => {
    const input = {
      '~standard': { version: 1 as const, vendor: 'test', validate: () => ({ issues: [{ message: 'no' }] }) },
    }
    const { url } = await start({ actions: { enter: defined({ input }, () => 1) } })
    const response = await post(url, `portico-visitor=${ID}.3`)
    expect([response.status, response.headers.getSetCookie()]).toEqual([422, []])
  })
})

describe('a scripted call without a key', () => {
  it.each([undefined, `portico-visitor=${ID}`, 'session=mine'])(
    'A5 keeps nothing with the cookie %s',
    async (cookie) => {
      let runs = 0
      const { url, metrics } = await start({ actions: { add: () => ++runs } })
      for (let n = 1; n <= 3; n++) {
        const headers = {
          'content-type': 'application/json',
          'sec-fetch-site': 'same-origin',
          'portico-action': 'add',
          ...(cookie !== undefined && { cookie }),
        }
        const response = await fetch(url, { method: 'POST', headers, body: '{"args":[]}' })
        expect(await response.json()).toMatchObject({ kind: 'value', value: n })
      }
      expect(await metrics()).not.toMatch(/submissions_kept_total\{/)
    },
  )
})

describe('a form with a key', () => {
  it('A5 does not change the counter of the cookie', async () => {
    const { url } = await start({ actions: { enter: () => 1 } })
    const keyed: [string, string][] = [...FIELDS, ['$portico_key', createKey()]]
    expect((await post(url, `portico-visitor=${ID}.5`, keyed)).headers.getSetCookie()).toEqual([])
    expect(
      (await callAction(url, 'enter', [], { headers: { cookie: `portico-visitor=${ID}.5` } })).headers.getSetCookie(),
    ).toEqual([])
  })
})
