// What the recipes of the documentation promise, over HTTP on the second site, which contains their code: log-in,
// guards on pages, actions and handlers, and public forms with limits.

import { randomInt } from 'node:crypto'
import { testAtLength } from '@portico/shared/kit/testing/runs.ts'
import { dataUrl } from '@portico/shared/wire/routing/urls.ts'
import { describe, expect, test } from 'vitest'
import { type FormPost, postForm, type RawResponse, readForm, send } from '../../harness/http.ts'
import { PASSWORD } from '../../sites/members.ts'

/** Each test signs in with its own name: attempts are counted by name. */
export const MEMBERS = ['ida', 'ole', 'mari', 'nils', 'siri', 'per', 'liv'] as const
type Member = (typeof MEMBERS)[number]

/** Registers the tests. The stack needs MEMBERS, and must trust 127.0.0.1 to distinguish addresses of clients. */
export function describeRecipes(where: string, baseUrl: () => string): void {
  const get = (target: string, headers: Record<string, string> = {}) => send(baseUrl(), target, { headers })
  const post = (form: Omit<FormPost, 'baseUrl'>) => postForm({ baseUrl: baseUrl(), ...form })
  const signIn = (name: Member, { path = '/sign-in', password = PASSWORD, headers = {} } = {}) =>
    post({ path, fields: { name, password }, headers })
  /** The Cookie header of a client that has just signed in. */
  const sessionOf = async (name: Member) => ({ cookie: sessionCookie(await signIn(name)) ?? '' })
  const isSignedIn = async (headers: Record<string, string>) => (await get('/api/me', headers)).status === 200

  describe(`recipes ${where}: signing in`, () => {
    test('P4 D3 redirects a client without a session from a guarded page to the form, and clears what the browser prefetched', async () => {
      const page = await get('/account?tab=1')
      expect([page.status, page.headers.location]).toEqual([307, '/sign-in?next=%2Faccount%3Ftab%3D1'])
      const data = await get(dataUrl('', String(page.headers['portico-build']), '/account'))
      expect(JSON.parse(data.text)).toMatchObject({ kind: 'redirect', location: '/sign-in?next=%2Faccount' })
      expect(data.headers['portico-session']).toBe('changed')
      expect(data.text).not.toContain('props')
    })

    test('A1 takes name and password without JavaScript, and redirects to the requested page', async () => {
      const response = await signIn('ida', { path: '/sign-in?next=%2Faccount%3Ftab%3D1' })
      expect([response.status, response.headers.location]).toEqual([303, '/account?tab=1'])
      const session = response.headers['set-cookie']?.find((line) => line.startsWith('session='))
      expect(session).toMatch(/^session=s1\.[\w-]+\.[\w-]{43}; Max-Age=1209600; Path=\/; HttpOnly; SameSite=Lax$/)
      const page = await get('/account?tab=1', { cookie: sessionCookie(response) ?? '' })
      expect(page.status).toBe(200)
      expect(page.text).toContain('ida')
      expect(page.headers['cache-control']).toBe('private, no-store')
    })

    test.each(['https://evil.example/', '//evil.example/', '/\\evil.example'])(
      'R6 redirects no client to %s after its log-in',
      async (next) => {
        const { headers } = await signIn('ole', { path: `/sign-in?next=${encodeURIComponent(next)}` })
        expect(headers.location).toBe('/account')
      },
    )

    test('A1 shows a wrong password on the page, keeps the name and sets no session', async () => {
      const response = await signIn('mari', { password: 'incorrect horse' })
      expect(response.status).toBe(200)
      expect(response.text).toContain('Name and password do not fit.')
      expect(response.text).toContain('value="mari"')
      expect(response.text).not.toContain('incorrect horse')
      expect(sessionCookie(response)).toBeUndefined()
    })

    test('A8 responds with 401 to a client without a valid session', async () => {
      for (const cookie of ['a=1', 'session=ida', 'session=s1.eyJkIjp7Im1lbWJlciI6ImlkYSJ9fQ.AAAA'])
        expect((await get('/api/me', { cookie })).status).toBe(401)
    })

    test('A1 redirects a client without a session that calls the guarded action to the form, and signs no client out', async () => {
      const nils = await sessionOf('nils')
      const id = actionIdOf((await get('/account', nils)).text, 'Show my name as')
      const response = await send(baseUrl(), '/account', {
        method: 'POST',
        headers: { 'portico-action': id, 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
        body: '{"args":[{"shownAs":"Nobody"}]}',
      })
      expect(JSON.parse(response.text)).toEqual({ kind: 'redirect', location: '/sign-in', status: 303 })
      expect(await isSignedIn(nils)).toBe(true)
    })

    test('A4 lets no other site sign a member out', async () => {
      const siri = await sessionOf('siri')
      const headers = { ...siri, 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }
      expect((await post({ path: '/account', fields: {}, headers, text: 'Sign out' })).status).toBe(403)
      expect(await isSignedIn(siri)).toBe(true)
    })

    test('A1 signing out removes the session from the browser', async () => {
      const per = await sessionOf('per')
      const response = await post({ path: '/account', fields: {}, headers: per, text: 'Sign out' })
      expect([response.status, response.headers.location]).toEqual([303, '/sign-in'])
      expect(response.headers['set-cookie']?.join()).toMatch(/session=; Max-Age=0; Path=\/; HttpOnly/)
      // What the page on sessions says: the session is in its cookie, so a copy of it outlives the log-out.
      expect(await isSignedIn(per)).toBe(true)
    })

    testAtLength('A1 rejects the right password, too, after too many attempts', async () => {
      const guess = (password: string) => signIn('liv', { password })
      for (let count = 0; count < 5; count++) expect((await guess(`guess ${count}`)).text).toContain('do not fit')
      const response = await guess(PASSWORD)
      expect(response.text).toContain('Too many attempts.')
      expect(sessionCookie(response)).toBeUndefined()
    })
  })

  describe(`recipes ${where}: a public form`, () => {
    const sendLetter = (letter: string, address: string) =>
      post({ path: '/contact', fields: { letter }, headers: { 'x-forwarded-for': address } })
    /** Letters are counted by address: each run of a test has its own. */
    const address = () => `198.18.${randomInt(256)}.${randomInt(256)}`
    const sendFive = async (addressOf: (count: number) => string) => {
      for (let count = 0; count < 5; count++)
        expect((await sendLetter(`letter ${count}`, addressOf(count))).text).toContain('Thank you.')
    }

    test('A1 takes five letters an hour from an address, and then only those of other addresses', async () => {
      const [one, other] = [address(), address()]
      await sendFive(() => one)
      expect((await sendLetter('another', one)).text).toContain('Five letters an hour')
      expect((await sendLetter('another', other)).text).toContain('Thank you.')
    })

    test('A1 counts the addresses of one IPv6 network as one sender', async () => {
      const site = randomInt(1, 0xffff).toString(16)
      await sendFive((count) => `2001:db8:${site}:1:${count}::1`)
      expect((await sendLetter('another', `2001:db8:${site}:1:ffff:1:2:3`)).text).toContain('Five letters an hour')
      expect((await sendLetter('another', `2001:db8:${site}:2::1`)).text).toContain('Thank you.')
    })

    test('A5 counts a letter that is sent twice once', async () => {
      const sender = address()
      const headers = { 'x-forwarded-for': sender }
      const page = await get('/contact', headers)
      const form = new FormData()
      for (const [name, value] of [...readForm(page.text).hidden, ['letter', 'twice'] as const])
        form.append(name, value)
      const encoded = new Response(form)
      const type = encoded.headers.get('content-type') ?? ''
      const body = Buffer.from(await encoded.arrayBuffer())
      const cookie = (page.headers['set-cookie'] ?? []).map((line) => line.split(';')[0]).join('; ')
      const again = () =>
        send(baseUrl(), '/contact', {
          method: 'POST',
          headers: {
            ...{ ...headers, cookie, 'content-type': type, 'content-length': String(body.length) },
            ...{ origin: new URL(baseUrl()).origin, 'sec-fetch-site': 'same-origin' },
          },
          body,
        })
      for (const response of [await again(), await again()]) expect(response.text).toContain('Thank you.')
      for (let count = 1; count < 5; count++)
        expect((await sendLetter(`letter ${count}`, sender)).text).toContain('Thank you.')
      expect((await sendLetter('another', sender)).text).toContain('Five letters an hour')
    })

    test('A7 rejects a letter that is larger than the action takes, from every client', async () => {
      expect((await sendLetter('x'.repeat(40_000), address())).status).toBe(413)
    })
  })
}

function sessionCookie(response: RawResponse): string | undefined {
  return response.headers['set-cookie']?.find((line) => line.startsWith('session='))?.split(';')[0]
}

/** The id that a plain form of the page names. */
function actionIdOf(html: string, text: string): string {
  const names = readForm(html, text).hidden.map(([name]) => name)
  return names.find((name) => name.startsWith('$ACTION_ID_'))?.slice('$ACTION_ID_'.length) ?? ''
}
