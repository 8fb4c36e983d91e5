// createSession() of portico/server: who a client is, in a signed or encrypted cookie.

import { randomBytes } from 'node:crypto'
import type { InputSchema, RequestContext } from '@portico/shared/wire/bundles.ts'
import { HEADERS, LONGEST_COOKIE_SECONDS } from '@portico/shared/wire/constants.ts'
import type { CookieSeal, SessionForm, StoredSession } from '@portico/shared/wire/cookies/cookie-seal.ts'
import { clientContext, sealOf, writeCookie } from './cookies.ts'
import type { SchemaType } from './define-action.ts'

/** The settings of a session's cookie. */
export interface SessionOptions<Schema extends InputSchema> {
  /** Letters, digits, `-` and `_`. On https the cookie is named `__Host-` and the name. */
  name: string
  /** Any Standard Schema of an object. Data that it refuses, for example of an older version of the site, is dropped. */
  schema: Schema
  /** Seconds without a request after which the session ends (default: 14 days; at most 400 days). */
  maxAge?: number
  /** Hides the data from the client, too; a signed cookie only keeps the client from changing it. */
  encrypt?: boolean
  /** With `strict` the session is absent in requests that a link of another site causes (default: `lax`). */
  sameSite?: 'lax' | 'strict'
}

/** A schema made by hand often has no `types`: then its function says what it takes and returns. */
type Data<Schema extends InputSchema, Side extends 'input' | 'output'> = SchemaType<Schema, Side, Validated<Schema>>
type Validated<Schema extends InputSchema> = Extract<
  Awaited<ReturnType<Schema['~standard']['validate']>>,
  { value: unknown }
>['value']

/** The members to change; undefined removes a member. */
type Changes<Input> = { [Name in keyof Input]?: Input[Name] | undefined }

/** The session of one client, during one request. */
export interface Session<Input = Record<string, unknown>, Output = Input> {
  /** Random and constant until `regenerate` or `destroy`; undefined for a client without a session. */
  readonly id: string | undefined
  /** What the schema returned for the data; undefined before the first `update`. */
  readonly data: Output | undefined
  /** Changes members of the data. Throws when the schema refuses the result, and above 4096 bytes; then nothing changes. */
  update(changes: Changes<Input>): Promise<void>
  /**
   * Begins a new session, with a new id and with this data alone. Call it at every log-in: an attacker may have put the
   * session before into the browser (fixation). Nothing of that session is passed on but the members that `data` names:
   * its messages are dropped, also those of this request; call `flash` when it has resolved. Throws as `update` does;
   * then the session before remains.
   */
  regenerate(data: Input): Promise<void>
  /** Removes the session and its cookie: at a log-out. */
  destroy(): void
  /** Keeps a message for the next page that calls `takeFlash`. */
  flash(message: string): void
  /** The messages since the last call, which it removes from the session. A request of a prefetch leaves them. */
  takeFlash(): string[]
}

/** What `createSession` returns. */
export interface SessionCookie<Input = Record<string, unknown>, Output = Input> {
  /** The session of the client. All calls of one request return the same object. */
  read(): Promise<Session<Input, Output>>
}

const DEFAULT_MAX_AGE_SECONDS = 14 * 24 * 60 * 60
const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/

/**
 * Describes a session that is kept in a cookie: signed, HttpOnly, SameSite=Lax, and on https Secure with the prefix
 * `__Host-`. Keys are derived from `ACTION_KEYS`; without that setting the stack makes a key. Every request in the second
 * half of `maxAge` prolongs the session. Data functions, actions and API handlers call `read()`; it throws where
 * `cookies()` throws. A response for which the session was read is never stored by a cache.
 *
 * @example
 * ```ts
 * // lib/session.ts
 * import { redirect } from 'portico'
 * import { createSession } from 'portico/server'
 * import * as v from 'valibot'
 *
 * export const session = createSession({
 *   name: 'session',
 *   schema: v.object({ member: v.string() }),
 *   maxAge: 14 * 24 * 60 * 60,
 * })
 *
 * export async function requireMember(): Promise<string> {
 *   const { data } = await session.read()
 *   return data?.member ?? redirect('/sign-in')
 * }
 * ```
 *
 * A new id at every log-in, no session after a log-out:
 *
 * @example
 * ```ts
 * // actions/account.ts
 * 'use server'
 * import { redirect } from 'portico'
 * import { createSession } from 'portico/server'
 * import * as v from 'valibot'
 *
 * const session = createSession({ name: 'session', schema: v.object({ member: v.string() }) })
 *
 * export async function signOut() {
 *   const current = await session.read()
 *   current.destroy()
 *   current.flash('You are signed out.')
 *   redirect('/')
 * }
 * ```
 */
export function createSession<Schema extends InputSchema>(
  options: SessionOptions<Schema>,
): SessionCookie<Data<Schema, 'input'>, Data<Schema, 'output'>> {
  checkOptions(options)
  const opened = new WeakMap<RequestContext, Promise<Session>>()
  const read = (): Promise<Session> => {
    const context = clientContext(`the session "${options.name}"`)
    const known = opened.get(context)
    if (known) return known
    const session = openSession(context, options)
    opened.set(context, session)
    return session
  }
  // The schema decides both types; this file handles the data as JSON.
  return { read } as unknown as SessionCookie<Data<Schema, 'input'>, Data<Schema, 'output'>>
}

function checkOptions({ name, maxAge = DEFAULT_MAX_AGE_SECONDS }: SessionOptions<InputSchema>): void {
  if (!NAME.test(name))
    throw new Error(`createSession(): name=${name} is not allowed; allowed are 1 to 64 letters, digits, - and _`)
  if (!Number.isInteger(maxAge) || maxAge < 1 || maxAge > LONGEST_COOKIE_SECONDS)
    throw new Error(`createSession("${name}"): maxAge=${maxAge} must be 1 to ${LONGEST_COOKIE_SECONDS} whole seconds`)
}

async function openSession(context: RequestContext, options: SessionOptions<InputSchema>): Promise<Session> {
  const cookie = createSessionCookie(context, options)
  context.onSession?.('read')
  const found = cookie.find()
  const checked = found?.session.data && (await validate(options, found.session.data))
  // SECURITY: the log gets the place of the fault, and nothing of the data.
  if (checked?.fault !== undefined) cookie.reportIgnored(checked.fault)
  const isUsable = found !== undefined && checked?.fault === undefined
  if (isUsable && found.isDue) cookie.renew(found.session)
  return createHandle(cookie, options, isUsable ? found.session : undefined, isUsable ? checked?.output : undefined)
}

type Cookie = ReturnType<typeof createSessionCookie>

/** The session of one request. A failed write leaves it as it was. */
function createHandle(
  cookie: Cookie,
  options: SessionOptions<InputSchema>,
  first: StoredSession | undefined,
  firstData: unknown,
): Session {
  let stored = first
  let data = firstData
  let changing: Promise<void> = Promise.resolve()
  let timesDestroyed = 0
  const write = (next: Omit<StoredSession, 'expiresAt'>) => {
    stored = cookie.write(next)
  }
  const current = () => stored ?? { id: createId() }
  /** One change after another: each begins with the result of the one before. A change that waits ends with `destroy`. */
  const changeInTurn = (next: () => object, keep: (data: Record<string, unknown>) => void): Promise<void> => {
    const timesBefore = timesDestroyed
    const hasEnded = () => timesDestroyed !== timesBefore
    const change = async () => {
      if (hasEnded()) return
      // What the next request reads: dates have become texts, and members that are undefined are gone.
      const json: Record<string, unknown> = JSON.parse(JSON.stringify(next()))
      const { output, fault, message } = await validate(options, json)
      if (fault !== undefined) throw new Error(`session "${options.name}": ${fault}: ${message}`)
      if (hasEnded()) return
      keep(json)
      data = output
      cookie.noteChange()
    }
    changing = changing.catch(() => {}).then(change)
    return changing
  }
  return {
    get id() {
      return stored?.id
    },
    get data() {
      // The type of the schema's output is that of createSession.
      return data as Record<string, unknown> | undefined
    },
    update: (changes) =>
      changeInTurn(
        () => ({ ...stored?.data, ...changes }),
        (json) => write({ ...current(), data: json }),
      ),
    // SECURITY: an attacker may have planted the session before: nothing of it is copied, neither data nor messages. Its
    // id only finds submissions that were sent before, and those by their keys alone (A5).
    regenerate: (next) =>
      changeInTurn(
        () => next,
        (json) => write({ id: createId(), ...(stored && { previousId: stored.id }), data: json }),
      ),
    destroy() {
      cookie.remove()
      stored = undefined
      data = undefined
      timesDestroyed++
      cookie.noteChange()
    },
    flash: (message) => write({ ...current(), flash: [...(stored?.flash ?? []), message] }),
    takeFlash() {
      const messages = cookie.isPrefetch ? [] : (stored?.flash ?? [])
      if (messages.length > 0) write({ ...current(), flash: [] })
      return messages
    },
  }
}

/** 128 bits: no client can name the records of another one (A5). */
function createId(): string {
  return randomBytes(16).toString('base64url')
}

/** Reads and writes the cookie of one request. */
function createSessionCookie(context: RequestContext, options: SessionOptions<InputSchema>) {
  const { maxAge = DEFAULT_MAX_AGE_SECONDS, encrypt = false, sameSite = 'lax' } = options
  const form: SessionForm = { isEncrypted: encrypt }
  const seal: CookieSeal = sealOf(context, 'createSession()')
  // SECURITY: browsers accept __Host- cookies over https only, from this host only, and with the path / only: no sibling
  // subdomain and no page over http can put one into the browser.
  const isHttps = context.origin.startsWith('https:')
  const name = isHttps ? `__Host-${options.name}` : options.name
  const attributes = { name, sameSite, path: isHttps ? '/' : seal.path }
  const put = (session: StoredSession): void =>
    writeCookie(context, { ...attributes, value: seal.sealSession(name, session, form), maxAge })
  const expiresAt = () => Math.floor(Date.now() / 1000) + maxAge
  const { [HEADERS.prefetch]: ownPrefetch, 'sec-purpose': purpose } = context.headers
  return {
    /** The page may never be shown: the browser's own speculation, or that of the router. */
    isPrefetch: ownPrefetch !== undefined || purpose?.startsWith('prefetch') === true,
    /** `isDue`: the second half of its life has begun, or it was sealed with an older key. */
    find(): { session: StoredSession; isDue: boolean } | undefined {
      const value = Object.hasOwn(context.cookies, name) ? context.cookies[name] : undefined
      const opened = value === undefined ? undefined : seal.openSession(name, value, form)
      if (!opened) return undefined
      const leftSeconds = opened.session.expiresAt - Math.floor(Date.now() / 1000)
      const isDue = leftSeconds * 2 < maxAge || leftSeconds > maxAge || !opened.isNewestKey
      return { session: opened.session, isDue }
    },
    /** The same session with a new end of its life. After the head of the response a later request does it. */
    renew(session: StoredSession): void {
      if (!Object.isFrozen(context.setCookies)) put({ ...session, expiresAt: expiresAt() })
    },
    write(session: Omit<StoredSession, 'expiresAt'>): StoredSession {
      const written = { ...session, expiresAt: expiresAt() }
      put(written)
      return written
    },
    remove: (): void => writeCookie(context, { ...attributes, value: '', maxAge: 0 }),
    /** P4: what browsers have prefetched belongs to the session before the change. Messages are no such change. */
    noteChange: (): void => context.onSession?.('changed'),
    reportIgnored: (reason: string) => seal.reportIgnored(name, reason),
  }
}

interface Checked {
  output?: unknown
  /** The place of the first issue, without its message: messages of schemas quote data. */
  fault?: string
  message?: string
}

async function validate({ schema }: SessionOptions<InputSchema>, data: Record<string, unknown>): Promise<Checked> {
  const result = await schema['~standard'].validate(data)
  if (!result.issues) return { output: result.value }
  const { message, path = [] } = result.issues[0] ?? { message: 'refused' }
  const names = path.map((part) => String(typeof part === 'object' ? part.key : part)).join('.')
  return { fault: `the schema refuses the data${names && ` at ${names}`}`, message }
}
