// Cookies and headers as code of a site uses them, over several requests of one browser.

import * as v from 'valibot'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { cookies, headers, setHeaders } from './cookies.ts'
import { createSession } from './session.ts'
import { createBrowser, KEY } from './testing/browser.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: 1_800_000_000_000 }))
afterEach(() => void vi.useRealTimers())

const session = createSession({ name: 'session', schema: v.object({}) })

describe('a signed cookie', () => {
  const set = (options = {}) => cookies().set('price', 'A', { signed: true, ...options })
  const get = () => cookies().get('price', { signed: true })

  test('A5 is read by its site, and every other value of that name is undefined', async () => {
    const { request, jar } = createBrowser()
    await request(() => set())
    expect(await request(get)).toBe('A')
    const value = jar.get('price') ?? ''
    for (const forged of ['A', `${value}x`, value.replace('c1.', 's1.'), '']) {
      jar.set('price', forged)
      expect(await request(get), forged).toBeUndefined()
    }
    jar.set('price', value)
    expect(await request(get, { origin: 'http://localhost:8081' })).toBeUndefined()
    expect(await request(get, { keys: ['n'.repeat(40), KEY] })).toBe('A')
    jar.set('other', value)
    expect(await request(() => cookies().get('other', { signed: true }))).toBeUndefined()
  })

  test('A5 is refused after its maxAge, whatever the browser keeps', async () => {
    const { request } = createBrowser()
    await request(() => set({ maxAge: 60 }))
    vi.advanceTimersByTime(59_000)
    expect(await request(get)).toBe('A')
    vi.advanceTimersByTime(1000)
    expect(await request(get)).toBeUndefined()
  })

  test('A5 is for one origin, and for 4096 bytes', async () => {
    const { request } = createBrowser()
    await expect(request(() => set({ domain: 'example.org' }))).rejects.toThrow('domain is not allowed with signed')
    await expect(request(() => cookies().set('price', 'x'.repeat(3100), { signed: true }))).rejects.toThrow('4096')
    await expect(request(() => cookies().set('plain', 'x'.repeat(4096)))).rejects.toThrow('4096')
  })

  test('A5 is never a session: the value of one is not read as the other', async () => {
    const { request } = createBrowser()
    await request(async () => (await session.read()).flash('Hello'))
    expect(await request(() => cookies().get('session', { signed: true }))).toBeUndefined()
    await request(() => cookies().set('session', 'x', { signed: true }))
    expect((await request(() => session.read())).id).toBeUndefined()
  })
})

describe('the header Cookie', () => {
  const seen = () => headers().get('cookie')

  test('A6 is what the client sent until the response sets a cookie, then what cookies() has', async () => {
    const { request } = createBrowser()
    const sent = () => ({ headers: { cookie: 'theme=dark' }, cookies: { theme: 'dark' } })
    expect(await request(seen, sent())).toBe('theme=dark')
    const merged = await request(() => {
      cookies().set('session', 'a b')
      cookies().delete('theme')
      return seen()
    }, sent())
    expect(merged).toBe('session=a%20b')
    const removed = await request(() => {
      cookies().delete('theme')
      return seen()
    }, sent())
    expect(removed).toBeNull()
  })
})

describe('setHeaders', () => {
  const added = () => {
    const written: Record<string, string> = {}
    return { written, setHeader: (name: string, value: string) => void Object.assign(written, { [name]: value }) }
  }

  test('A6 adds the headers of another response but those of its body, and every cookie as it is', async () => {
    const { request, sent, jar } = createBrowser()
    const { written, setHeader } = added()
    const other = new Headers({ 'X-Remaining': '3', 'Content-Type': 'text/html', Connection: 'close', ETag: '"1"' })
    const lines = ['session=a%2Eb; Path=/; Secure; SameSite=None', 'old=; Expires=Thu, 01 Jan 1970 00:00:00 GMT']
    for (const line of lines) other.append('set-cookie', line)
    const read = await request(
      () => {
        setHeaders(other)
        return [cookies().get('session'), cookies().has('old'), headers().get('cookie')]
      },
      { setHeader, cookies: { old: '1' } },
    )
    expect(written).toEqual({ 'x-remaining': '3' })
    expect(sent).toEqual(lines)
    expect(read).toEqual(['a.b', false, 'session=a.b'])
    expect(jar.get('session')).toBe('a%2Eb')
  })

  test('A6 throws where the response has been sent, or is not one of the function', async () => {
    const { request } = createBrowser()
    await expect(request(() => setHeaders({ a: '1' }))).rejects.toThrow('setHeaders() was called in /test')
    const frozen = Object.freeze([]) as unknown as string[]
    const late = { ...added(), setCookies: frozen }
    await expect(request(() => setHeaders({ 'set-cookie': 'a=1' }), late)).rejects.toThrow('head of the response')
  })
})
