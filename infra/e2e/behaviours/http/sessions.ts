// Sessions over HTTP through gateway, renderer and actions as processes: on the second site, which has the log-in recipe.

import { createHmac, hkdfSync } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { postForm, type RawResponse, readForm, send } from '../../harness/http.ts'
import { PASSWORD } from '../../sites/members.ts'

/** Each test signs in with its own name: attempts are counted by name. */
export const SESSION_MEMBERS = ['aud', 'tor', 'eva', 'jan'] as const

interface Stack {
  baseUrl: string
  actionKey: string
}

/** Registers the tests. The stack needs MEMBERS. */
export function describeSessions(where: string, stack: () => Stack): void {
  const get = (target: string, headers: Record<string, string> = {}) => send(stack().baseUrl, target, { headers })
  const signIn = async (name: (typeof SESSION_MEMBERS)[number]) => {
    const { baseUrl } = stack()
    const response = await postForm({ baseUrl, path: '/sign-in', fields: { name, password: PASSWORD } })
    return setCookie(response, 'session') ?? ''
  }
  /** Runs the action that counts its runs; returns the count. */
  const callCount = async (key: string, cookie = '') => {
    const id = actionIdOf((await get('/counter')).text)
    const response = await send(stack().baseUrl, '/counter', {
      method: 'POST',
      headers: {
        ...{ 'portico-action': id, 'idempotency-key': key, 'portico-fresh': 'none' },
        ...{ 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
        ...(cookie !== '' && { cookie }),
      },
      body: '{"args":[{}]}',
    })
    const { value } = JSON.parse(response.text) as { value: { count: number } }
    return { response, count: value.count }
  }

  describe(`sessions ${where}`, () => {
    test('A5 a renewal between request and resend still runs once', async () => {
      const aged = inItsSecondHalf(await signIn('aud'), stack())
      const key = createKey()
      const first = await callCount(key, aged)
      const renewed = setCookie(await get('/account', { cookie: aged }), 'session') ?? ''
      expect([renewed, idOf(renewed)]).toEqual([expect.not.stringMatching(aged), idOf(aged)])
      expect((await callCount(key, renewed)).count).toBe(first.count)
      expect((await callCount(createKey(), renewed)).count).toBe(first.count + 1)
    })

    test('A5 a resend of a new client runs once after another call has given it its cookie', async () => {
      const key = createKey()
      const lost = await callCount(key)
      const client = setCookie((await callCount(createKey())).response, 'portico-visitor') ?? ''
      expect(client).toMatch(/^portico-visitor=/)
      expect((await callCount(key, client)).count).toBe(lost.count)
    })

    test('A5 renderer and actions read each other’s sessions, and messages are shown once', async () => {
      const { baseUrl } = stack()
      const cookie = await signIn('tor')
      const fields = { shownAs: 'Tor the Tall' }
      const saved = await postForm({ baseUrl, path: '/account', fields, headers: { cookie }, text: 'Show my name as' })
      expect([saved.status, saved.headers.location]).toEqual([303, '/account'])
      const page = await get('/account', { cookie: setCookie(saved, 'session') ?? '' })
      for (const text of ['Tor the Tall', 'Saved.']) expect(page.text).toContain(text)
      const taken = setCookie(page, 'session') ?? ''
      expect((await get('/account', { cookie: taken })).text).not.toContain('Saved.')
      expect(JSON.parse((await get('/api/me', { cookie: taken })).text)).toEqual({ member: 'tor', ...fields })
    })

    test('A5 a log-in gives the session a new id', async () => {
      const first = await signIn('eva')
      const { baseUrl } = stack()
      const fields = { name: 'eva', password: PASSWORD }
      const again = await postForm({ baseUrl, path: '/sign-in', fields, headers: { cookie: first } })
      expect(idOf(setCookie(again, 'session') ?? '')).not.toBe(idOf(first))
    })

    test('A5 a cookie that a sibling puts in front of the session changes nothing, and two sessions are none', async () => {
      const cookie = await signIn('jan')
      const statusOf = async (header: string) => (await get('/api/me', { cookie: header })).status
      expect(await statusOf(`session=s1.e30.AAAA; ${cookie}`)).toBe(200)
      expect(await statusOf(`${inItsSecondHalf(cookie, stack())}; ${cookie}`)).toBe(200)
      expect(await statusOf(`${await signIn('jan')}; ${cookie}`)).toBe(401)
    })
  })
}

function setCookie({ headers }: RawResponse, name: string): string | undefined {
  return headers['set-cookie']?.find((line) => line.startsWith(`${name}=`))?.split(';')[0]
}

function createKey(): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(16))).toString('base64url')
}

/** The id that the first form of the page names, whose state is bound. */
function actionIdOf(html: string): string {
  const values = readForm(html).hidden.map(([, value]) => /"id":"([^"]+)"/.exec(value)?.[1])
  return values.find((id) => id !== undefined) ?? ''
}

interface Content {
  i: string
  e: number
}

function contentOf(cookie: string): Content {
  return JSON.parse(Buffer.from(cookie.split('.')[1] ?? '', 'base64url').toString()) as Content
}

function idOf(cookie: string): string {
  return contentOf(cookie).i
}

/** The same session with a minute left. Written by hand, as the format is described. */
function inItsSecondHalf(cookie: string, { baseUrl, actionKey }: Stack): string {
  const content = JSON.stringify({ ...contentOf(cookie), e: Math.floor(Date.now() / 1000) + 60 })
  const text = Buffer.from(content).toString('base64url')
  const key = new Uint8Array(hkdfSync('sha256', actionKey, '', 'portico signed session', 32))
  const mac = createHmac('sha256', key)
    .update(`${new URL(baseUrl).origin}\nsession\n${text}`)
    .digest('base64url')
  return `session=s1.${text}.${mac}`
}
