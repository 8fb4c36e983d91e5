// createSession() as code of a site uses it, over several requests of one browser.

import * as v from 'valibot'
import { afterEach, beforeEach, describe, expect, expectTypeOf, test, vi } from 'vitest'
import { createSession, type SessionOptions } from './session.ts'
import { createBrowser, KEY } from './testing/browser.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: 1_800_000_000_000 }))
afterEach(() => void vi.useRealTimers())

const schema = v.object({ member: v.string(), visits: v.optional(v.number()) })
const plain = createSession({ name: 'session', schema, maxAge: 1000 })
const secret = createSession({ name: 'session', schema, maxAge: 1000, encrypt: true })

type Planted = Awaited<ReturnType<typeof plain.read>>
const read = () => plain.read().then(({ id, data }) => ({ id, data }))
const signIn = async (member = 'ida') => (await plain.read()).regenerate({ member })

describe('a session', () => {
  test('A5 is empty for a new client, and keeps what update was given, under one id', async () => {
    const { request, sent } = createBrowser()
    expect(await request(read)).toEqual({ id: undefined, data: undefined })
    expect(sent).toEqual([])
    await request(async () => (await plain.read()).update({ member: 'ida' }))
    const first = await request(read)
    expect(first).toEqual({ id: expect.stringMatching(/^[\w-]{22}$/), data: { member: 'ida' } })
    await request(async () => (await plain.read()).update({ visits: 2 }))
    expect(await request(read)).toEqual({ id: first.id, data: { member: 'ida', visits: 2 } })
    await request(async () => (await plain.read()).update({ visits: undefined }))
    expect((await request(read)).data).toEqual({ member: 'ida' })
  })

  test.each([
    ['http://localhost:8080', '', /^session=s1\.[\w.-]+; Max-Age=1000; Path=\/; HttpOnly; SameSite=Lax$/],
    ['http://localhost:8080', '/shop', /^session=s1\.[\w.-]+; Max-Age=1000; Path=\/shop; HttpOnly; SameSite=Lax$/],
    ['https://example.org', '', /^__Host-session=s1\.[\w.-]+; Max-Age=1000; Path=\/; HttpOnly; Secure; SameSite=Lax$/],
    ['https://example.org', '/shop', /^__Host-session=\S+; Max-Age=1000; Path=\/; HttpOnly; Secure; SameSite=Lax$/],
  ])('A5 of %s%s has the strictest cookie that the origin allows', async (origin, basePath, cookie) => {
    const { request, sent } = createBrowser({ origin, basePath })
    await request(() => signIn())
    expect(sent).toEqual([expect.stringMatching(cookie)])
    await request(async () => (await plain.read()).destroy())
    expect(sent).toEqual([expect.stringMatching(/^(__Host-)?session=; Max-Age=0; Path=/)])
    expect(await request(read)).toEqual({ id: undefined, data: undefined })
  })

  test('A5 is one object in a request, sets its cookie once, and changes one after another', async () => {
    const { request, sent } = createBrowser()
    await request(async () => {
      const [session, same] = await Promise.all([plain.read(), plain.read()])
      expect(same).toBe(session)
      const changes = [
        session.regenerate({ member: 'ida' }),
        session.update({ visits: 1 }),
        session.update({ visits: 2 }),
      ]
      await Promise.all(changes)
      session.flash('Hello')
      expect(session.data).toEqual({ member: 'ida', visits: 2 })
    })
    expect(sent).toHaveLength(1)
    expect((await request(read)).data).toEqual({ member: 'ida', visits: 2 })
  })

  test('A5 gets a new id and new data at a log-in: a planted cookie names no session of the member (fixation)', async () => {
    const attacker = createBrowser()
    await attacker.request(async () => (await plain.read()).update({ member: '', visits: 7 }))
    const victim = createBrowser()
    for (const [name, value] of attacker.jar) victim.jar.set(name, value)
    const planted = await victim.request(read)
    await victim.request(() => signIn())
    const after = await victim.request(read)
    expect(after.data).toEqual({ member: 'ida' })
    expect(after.id).not.toBe(planted.id)
    expect(await attacker.request(read)).toEqual({ id: planted.id, data: { member: '', visits: 7 } })
  })

  test.each([
    ['a message', (session: Planted) => session.flash('planted')],
    [
      'data and a message',
      (session: Planted) => session.update({ member: '', visits: 7 }).then(() => session.flash('planted')),
    ],
    [
      'a log-in and a message',
      (session: Planted) => session.regenerate({ member: 'eve' }).then(() => session.flash('planted')),
    ],
  ])(
    'A5 begins empty at a log-in after a planted cookie with %s, whatever the request did before (fixation)',
    async (_, plant) => {
      const attacker = createBrowser()
      await attacker.request(async () => plant(await plain.read()))
      const logIns: ((session: Planted) => Promise<void>)[] = [
        (session) => session.regenerate({ member: 'ida' }),
        async (session) => {
          session.flash('before')
          await session.update({ member: 'x', visits: 8 })
          await session.regenerate({ member: 'ida' })
        },
        async (session) => {
          await Promise.all([session.update({ member: 'x', visits: 8 }), session.regenerate({ member: 'ida' })])
        },
        async (session) => {
          session.destroy()
          await session.regenerate({ member: 'ida' })
        },
        async (session) => {
          session.destroy()
          await session.update({ member: 'ida' })
        },
      ]
      for (const logIn of logIns) {
        const victim = createBrowser()
        for (const [name, value] of attacker.jar) victim.jar.set(name, value)
        const planted = await victim.request(read)
        await victim.request(async () => {
          const session = await plain.read()
          await logIn(session)
          session.flash('Welcome')
        })
        const after = await victim.request(read)
        expect(after.data).toEqual({ member: 'ida' })
        expect(after.id).not.toBe(planted.id)
        expect(await victim.request(async () => (await plain.read()).takeFlash())).toEqual(['Welcome'])
      }
    },
  )

  test('A5 passes on at a log-in what the site names, and keeps all of it when the log-in is refused', async () => {
    const { request } = createBrowser()
    await request(async () => (await plain.read()).update({ member: '', visits: 7 }))
    await request(async () => (await plain.read()).flash('Saved.'))
    const before = await request(read)
    const refused = request(async () => (await plain.read()).regenerate({ member: 'ida', visits: 'x' as never }))
    await expect(refused).rejects.toThrow('session "session": the schema refuses the data at visits')
    expect(await request(read)).toEqual(before)
    await request(async () => {
      const session = await plain.read()
      const messages = session.takeFlash()
      await session.regenerate({ member: 'ida', visits: session.data?.visits })
      for (const message of messages) session.flash(message)
    })
    expect((await request(read)).data).toEqual({ member: 'ida', visits: 7 })
    expect(await request(async () => (await plain.read()).takeFlash())).toEqual(['Saved.'])
  })

  test('A5 ends with a log-out, also for changes that were not awaited', async () => {
    const { request } = createBrowser()
    await request(() => signIn())
    await request(async () => {
      const session = await plain.read()
      const inFlight = session.update({ visits: 1 })
      await Promise.resolve()
      const waiting = session.update({ visits: 2 })
      session.destroy()
      await Promise.all([inFlight, waiting])
      expect(session.data).toBeUndefined()
    })
    expect(await request(read)).toEqual({ id: undefined, data: undefined })
  })

  test('A5 has a new id after a log-out, and messages outlive it', async () => {
    const { request } = createBrowser()
    await request(() => signIn())
    const { id } = await request(read)
    await request(async () => {
      const session = await plain.read()
      session.destroy()
      session.flash('You are signed out.')
    })
    const after = await request(read)
    expect(after.data).toBeUndefined()
    expect(after.id).toEqual(expect.any(String))
    expect(after.id).not.toBe(id)
    const take = async () => (await plain.read()).takeFlash()
    expect([await request(take), await request(take)]).toEqual([['You are signed out.'], []])
  })

  test.each(['portico-prefetch', 'sec-purpose'])(
    'P1 keeps its messages when a page is prefetched: %s',
    async (name) => {
      const { request, sent } = createBrowser()
      await request(async () => (await plain.read()).flash('Saved.'))
      const take = async () => (await plain.read()).takeFlash()
      expect(await request(take, { headers: { [name]: 'prefetch;prerender' } })).toEqual([])
      expect(sent).toEqual([])
      expect(await request(take)).toEqual(['Saved.'])
    },
  )

  test('A5 replayed after a log-out is still valid, until its time: no server keeps a list of sessions', async () => {
    const { request, jar } = createBrowser()
    await request(() => signIn())
    const stolen = new Map(jar)
    await request(async () => (await plain.read()).destroy())
    jar.set('session', stolen.get('session') ?? '')
    expect((await request(read)).data).toEqual({ member: 'ida' })
    vi.advanceTimersByTime(1000_000)
    jar.set('session', stolen.get('session') ?? '')
    expect((await request(read)).data).toBeUndefined()
  })

  test('A5 is prolonged by a request in the second half of its life, with the same id', async () => {
    const { request, sent, jar, uses } = createBrowser()
    await request(() => signIn())
    const { id } = await request(read)
    vi.advanceTimersByTime(500_000)
    await request(read)
    expect(sent).toEqual([])
    vi.advanceTimersByTime(1000)
    const before = jar.get('session')
    uses.length = 0
    expect((await request(read)).id).toBe(id)
    expect(jar.get('session')).not.toBe(before)
    expect(uses).toEqual(['read'])
    vi.advanceTimersByTime(999_000)
    expect((await request(read)).id).toBe(id)
  })

  test('A5 is not prolonged after the head of the response, and a change there throws', async () => {
    const { request, sent } = createBrowser()
    await request(() => signIn())
    vi.advanceTimersByTime(900_000)
    const setCookies: string[] = []
    Object.freeze(setCookies)
    expect((await request(read, { setCookies })).data).toEqual({ member: 'ida' })
    expect(sent).toEqual([])
    await expect(request(() => signIn(), { setCookies })).rejects.toThrow('the head of the response has been sent')
  })

  test('A5 moves to the newest key when it is read, while the key is replaced', async () => {
    const { request } = createBrowser()
    await request(() => signIn())
    const { id } = await request(read)
    expect((await request(read, { keys: ['n'.repeat(40), KEY] })).id).toBe(id)
    expect((await request(read, { keys: ['n'.repeat(40)] })).id).toBe(id)
    expect((await request(read, { keys: ['x'.repeat(40)] })).id).toBeUndefined()
  })

  test('A5 of another site on the same host, another name or another form is empty', async () => {
    const { request, jar, lines } = createBrowser()
    await request(() => signIn())
    for (const site of [{ origin: 'http://localhost:8081' }, { basePath: '/shop' }, { keys: ['x'.repeat(40)] }])
      expect((await request(read, site)).data).toBeUndefined()
    expect((await request(() => secret.read())).data).toBeUndefined()
    await request(async () => (await secret.read()).update({ member: 'ole' }))
    expect((await request(read)).data).toBeUndefined()
    jar.set('admin', jar.get('session') ?? '')
    const admin = createSession({ name: 'admin', schema, encrypt: true })
    expect((await request(() => admin.read())).data).toBeUndefined()
    expect(lines).toEqual([])
  })

  test('A5 above 4096 bytes throws with the size, and keeps what it had', async () => {
    const { request, sent } = createBrowser()
    await request(() => signIn())
    const long = (member: string) => request(async () => (await plain.read()).update({ member }))
    await expect(long('x'.repeat(3000))).rejects.toThrow(
      /^cookie "session": \d{4} bytes are too many; browsers keep 4096/,
    )
    await request(async () => {
      const session = await plain.read()
      await session.update({ member: 'x'.repeat(3000) }).catch(() => {})
      expect(session.data).toEqual({ member: 'ida' })
      expect(() => session.flash('x'.repeat(3000))).toThrow('browsers keep 4096 bytes')
    })
    expect(sent).toEqual([])
    await long('x'.repeat(2800))
    expect(Buffer.byteLength(sent[0] ?? '')).toBeLessThanOrEqual(4096)
    expect((await request(read)).data?.member).toHaveLength(2800)
  })

  test('A5 data that the schema refuses is dropped with one log line that has none of it', async () => {
    const { request, lines } = createBrowser()
    const older = createSession({
      name: 'session',
      schema: v.object({ member: v.picklist(['ida-the-member']), visits: v.string() }),
    })
    await request(async () => (await older.read()).update({ member: 'ida-the-member', visits: 'ida-the-member' }))
    expect(await request(read)).toEqual({ id: undefined, data: undefined })
    const line = { event: 'cookie-ignored', cookie: 'session', reason: 'the schema refuses the data at visits' }
    expect(lines).toEqual([expect.objectContaining(line)])
    expect(JSON.stringify(lines)).not.toContain('ida-the-member')
    await expect(request(async () => (await plain.read()).update({ visits: 1 }))).rejects.toThrow(
      'session "session": the schema refuses the data at member',
    )
  })

  test('P4 reports reads, and changes of data or id; messages are none', async () => {
    const { request, uses } = createBrowser()
    const usesOf = async (run: () => unknown) => {
      uses.length = 0
      await request(run)
      return [...uses]
    }
    expect(await usesOf(read)).toEqual(['read'])
    expect(await usesOf(() => signIn())).toEqual(['read', 'changed'])
    expect(await usesOf(async () => (await plain.read()).flash('Hello'))).toEqual(['read'])
    expect(await usesOf(async () => (await plain.read()).takeFlash())).toEqual(['read'])
    expect(await usesOf(async () => (await plain.read()).destroy())).toEqual(['read', 'changed'])
  })

  test('C1 throws in pages for all clients, and where no service runs the code', async () => {
    const { request } = createBrowser()
    await expect(request(read, { kind: 'static-page' })).rejects.toThrow(
      'the session "session" was called for /test, which is rendered once for all visitors',
    )
    await expect((async () => plain.read())()).rejects.toThrow('works during a request only')
  })

  test.each<[Partial<SessionOptions<typeof schema>>, string]>([
    [{ name: '' }, 'name='],
    [{ name: '__Host-x' }, 'name=__Host-x'],
    [{ name: 'a b' }, 'name=a b'],
    [{ maxAge: 0 }, 'maxAge=0'],
    [{ maxAge: 1.5 }, 'maxAge=1.5'],
    [{ maxAge: 34_560_001 }, 'maxAge=34560001'],
  ])('A5 refuses the settings %j by name', (options, text) => {
    expect(() => createSession({ name: 'session', schema, ...options })).toThrow(text)
  })

  test('A5 has the types of its schema: what it takes to change, what it returns to read', async () => {
    const dated = createSession({
      name: 'dated',
      schema: v.object({
        at: v.pipe(
          v.string(),
          v.transform((text) => new Date(text)),
        ),
      }),
    })
    const { request } = createBrowser()
    await request(async () => {
      const session = await dated.read()
      expectTypeOf(session.data).toEqualTypeOf<{ at: Date } | undefined>()
      // @ts-expect-error the schema takes text
      void (() => session.update({ at: new Date() }))
      // @ts-expect-error the schema knows no such member
      void (() => session.update({ by: 'ida' }))
      await session.update({ at: '2026-01-02' })
      expect(session.data?.at).toEqual(new Date('2026-01-02'))
    })
    expect((await request(() => dated.read())).data?.at).toEqual(new Date('2026-01-02'))
  })
})

test('A5 the types of a schema made by hand are those of its function', async () => {
  const validate = (data: unknown): { value: { member: string } } | { issues: { message: string }[] } =>
    typeof data === 'object' ? { value: { member: 'ida' } } : { issues: [{ message: 'no object' }] }
  const session = createSession({ name: 'session', schema: { '~standard': { version: 1, vendor: 'test', validate } } })
  type Read = Awaited<ReturnType<typeof session.read>>
  expectTypeOf<Read['data']>().toEqualTypeOf<{ member: string } | undefined>()
  expectTypeOf<Parameters<Read['regenerate']>>().toEqualTypeOf<[data: { member: string }]>()
})
