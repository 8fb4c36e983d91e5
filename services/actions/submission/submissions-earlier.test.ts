// A client that receives another cookie between an arrival of its submission and the next one (A5).

import type { CookieSeal, StoredSession } from '@portico/shared/wire/cookies/cookie-seal.ts'
import { describe, expect, it } from 'vitest'
import { callAction, createKey, postForm } from '../testing/requests.ts'
import { currentContext, useActions } from '../testing/start-actions.ts'

const start = useActions()

/** An action that returns the number of its run. */
async function startCounting() {
  let runs = 0
  const service = await start({ actions: { add: () => ++runs } })
  const send = async (key: string, cookie?: string) => {
    const headers = { 'portico-fresh': 'none', ...(cookie !== undefined && { cookie }) }
    const response = await callAction(service.url, 'add', [], { key, headers })
    return { response, value: ((await response.json()) as { value?: number }).value }
  }
  return { ...service, send, runs: () => runs }
}

const clientCookie = (response: Response) =>
  response.headers
    .getSetCookie()
    .find((text) => text.startsWith('portico-visitor='))
    ?.split(';')[0]

const inAnHour = () => Math.floor(Date.now() / 1000) + 3600
const sessionCookie = (seal: CookieSeal, name: string, session: Partial<StoredSession> & { id: string }) =>
  `${name}=${seal.sealSession(name, { expiresAt: inAnHour(), ...session }, { isEncrypted: false })}`

describe('a resend', () => {
  it('A5 runs once when another call has given the client its cookie', async () => {
    const { send, runs } = await startCounting()
    const [lost, other] = [createKey(), createKey()]
    expect((await send(lost)).value).toBe(1)
    const cookie = clientCookie((await send(other)).response)
    expect((await send(lost, cookie)).value).toBe(1)
    expect(runs()).toBe(2)
  })

  it('A5 waits for a first arrival without cookies that still runs', async () => {
    let finish = (_n: number) => {}
    const running = new Promise<number>((done) => {
      finish = done
    })
    let runs = 0
    const slow = () => {
      runs++
      return running
    }
    const { url } = await start({ actions: { slow, add: () => 0 } })
    const key = createKey()
    const options = { headers: { 'portico-fresh': 'none' } }
    const first = callAction(url, 'slow', [], { key, ...options })
    await expect.poll(() => runs).toBe(1)
    const cookie = clientCookie(await callAction(url, 'add', [], options)) ?? ''
    const second = callAction(url, 'slow', [], { key, headers: { ...options.headers, cookie } })
    finish(7)
    for (const response of await Promise.all([first, second])) expect(await response.json()).toMatchObject({ value: 7 })
    expect(runs).toBe(1)
  })

  it('A5 runs once after the session was renewed, and under another name of its cookie', async () => {
    const { send, runs, cookieSeal } = await startCounting()
    const key = createKey()
    await send(key, sessionCookie(cookieSeal, 'session', { id: 'one' }))
    await send(key, sessionCookie(cookieSeal, 'session', { id: 'one', expiresAt: inAnHour() + 60, flash: ['Hello'] }))
    await send(key, sessionCookie(cookieSeal, 'who', { id: 'one' }))
    expect(runs()).toBe(1)
  })

  it('A5 runs once after its first arrival has begun a session, and after a log-in with a new id', async () => {
    const { send, runs, cookieSeal } = await startCounting()
    const key = createKey()
    const { response } = await send(key)
    const client = clientCookie(response)
    await send(key, `${client}; ${sessionCookie(cookieSeal, 'session', { id: 'first' })}`)
    expect(runs()).toBe(1)
    const later = createKey()
    await send(later, sessionCookie(cookieSeal, 'session', { id: 'first' }))
    await send(later, sessionCookie(cookieSeal, 'session', { id: 'second', previousId: 'first' }))
    expect(runs()).toBe(2)
  })

  it('A5 of another member, or after a log-out, gets nothing of the session before', async () => {
    const { send, runs, cookieSeal } = await startCounting()
    const key = createKey()
    const client = `portico-visitor=${'c'.repeat(32)}`
    expect((await send(key, `${client}; ${sessionCookie(cookieSeal, 'session', { id: 'ida' })}`)).value).toBe(1)
    expect((await send(key, `${client}; ${sessionCookie(cookieSeal, 'session', { id: 'ole' })}`)).value).toBe(2)
    expect((await send(key, client)).value).toBe(3)
    expect(runs()).toBe(3)
  })

  it.each<[string, string | undefined, string | undefined, string | undefined, boolean]>([
    ['a new client again', undefined, 'begun', undefined, true],
    ['the session before the run', 'one', 'two', 'one', true],
    ['the session that the run began', 'one', 'two', 'two', true],
    ['another session since', 'one', 'one', 'three', false],
    ['a session begun since', undefined, 'begun', 'three', false],
    ['a log-out, again', 'one', undefined, 'one', true],
    ['a log-out, and a log-in since', 'one', undefined, 'three', false],
  ])('A5 sends the session of its first response to %s: %s → %s, now %s', async (_, before, after, present, isSent) => {
    let set = ''
    const enter = () => {
      currentContext().setCookies.push(set, 'theme=dark')
    }
    const { url, cookieSeal } = await start({ actions: { enter } })
    const cookieFor = (id: string | undefined, previousId?: string) =>
      id === undefined ? '' : sessionCookie(cookieSeal, 'session', { id, ...(previousId && { previousId }) })
    set = after === undefined ? `session=; Max-Age=0` : cookieFor(after)
    const key = createKey()
    const call = (session: string) => {
      const cookie = [`portico-visitor=${'c'.repeat(32)}`, session].filter(Boolean).join('; ')
      return callAction(url, 'enter', [], { key, headers: { 'portico-fresh': 'none', cookie } })
    }
    expect((await call(cookieFor(before))).headers.getSetCookie()).toEqual([set, 'theme=dark'])
    const isLater = present !== undefined && present !== before
    const again = await call(cookieFor(present, isLater ? before : undefined))
    expect(again.headers.getSetCookie()).toEqual(isSent ? [set, 'theme=dark'] : ['theme=dark'])
  })

  it('A5 of a form without a key is found under the present cookie only', async () => {
    let runs = 0
    const { url, cookieSeal } = await start({ actions: { add: () => void ++runs } })
    const client = `portico-visitor=${'c'.repeat(32)}.5`
    const post = (cookie: string) => postForm(url, [['$ACTION_ID_add', '']], { headers: { cookie } })
    await post(client)
    await post(`${client}; ${sessionCookie(cookieSeal, 'session', { id: 'ida' })}`)
    expect(runs).toBe(2)
  })
})
