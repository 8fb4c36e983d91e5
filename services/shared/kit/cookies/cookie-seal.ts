// Signs and encrypts cookies with keys derived from ACTION_KEYS. A value begins with the form of its content:
//
//   c1.<text>.<mac>      a signed cookie
//   s1.<session>.<mac>   a signed session
//   e1.<nonce, ciphertext, tag>   an encrypted session
//   d1.<nonce, ciphertext, tag>   a cookie of draft mode
//
// Text and session are base64url; mac is HMAC-SHA-256 over site, name and content; AES-256-GCM authenticates the same.

import { createHmac, timingSafeEqual } from 'node:crypto'
import type { CookieSeal, OpenedDraft, SessionForm, StoredSession } from '../../wire/cookies/cookie-seal.ts'
import type { Log } from '../observe/log.ts'
import { createDerived, type Keyring } from '../secrets/keyring.ts'
import { deriveKeys, seal, unseal } from '../secrets/seal.ts'

type Form = 'c1' | 's1' | 'e1' | 'd1'

/** HKDF labels: each form has keys of its own, so that no value of one form is valid as another. */
const LABELS: Readonly<Record<Form, string>> = {
  c1: 'portico signed cookie',
  s1: 'portico signed session',
  e1: 'portico encrypted session',
  d1: 'portico draft mode',
}

interface CookieSealDeps {
  /** The current one seals, all open: a key can be replaced while sessions are in use. */
  keyring: Keyring
  /** Milliseconds since the epoch. */
  now: () => number
  log: Log
}

/** The site that a request belongs to. */
interface SealedSite {
  /** Public origin, as the gateway reports it. */
  origin: string
  basePath: string
  requestId: string
}

export type CookieSeals = (site: SealedSite) => CookieSeal

/** Derives the keys once for each change of the keyring; the returned function makes the seal of one request. */
export function createCookieSeals({ keyring, now, log }: CookieSealDeps): CookieSeals {
  const keysOf = createDerived(keyring, (secrets): Readonly<Record<Form, Uint8Array[]>> => {
    const derive = (form: Form) => deriveKeys(secrets, LABELS[form])
    return { c1: derive('c1'), s1: derive('s1'), e1: derive('e1'), d1: derive('d1') }
  })
  /** Notes a value that has the form of a sealed one, and that no key opens. */
  const noted = (form: Form, value: string, opened: Opened | undefined) => {
    if (!opened && value.startsWith(`${form}.`)) keyring.noteUnknown('cookie')
    return opened
  }
  const sealWith = (form: Form, scope: string, text: string) =>
    (form === 'c1' || form === 's1' ? sign : encrypt)(form, keysOf()[form], scope, text)
  const openWith = (form: Form, scope: string, value: string) =>
    noted(form, value, (form === 'c1' || form === 's1' ? verify : decrypt)(form, keysOf()[form], scope, value))
  return ({ origin, basePath, requestId }) => {
    // SECURITY: sites that share keys or a host (other ports, other base paths) do not accept each other's cookies, and a
    // value is valid under its own name only. Neither part can contain a line feed.
    const scopeOf = (name: string) => `${origin}${basePath}\n${name}\n`
    return {
      path: basePath || '/',
      sign: (name, text) => sealWith('c1', scopeOf(name), text),
      verify: (name, value) => openWith('c1', scopeOf(name), value)?.text,
      sealSession(name, session, { isEncrypted }) {
        const text = JSON.stringify(shortened(session))
        return sealWith(isEncrypted ? 'e1' : 's1', scopeOf(name), text)
      },
      openSession(name, value, { isEncrypted }) {
        // SECURITY: the site decides the form, never the value: a signed session is not accepted for an encrypted one.
        const opened = openWith(isEncrypted ? 'e1' : 's1', scopeOf(name), value)
        const session = opened && lengthened(opened.text)
        if (!session || session.expiresAt * 1000 <= now()) return undefined
        return { session, isNewestKey: opened.isNewestKey }
      },
      sealDraft(name, { data, maxAgeSeconds }) {
        const draft: ShortDraft = { e: Math.floor(now() / 1000) + maxAgeSeconds, d: data }
        return sealWith('d1', scopeOf(name), JSON.stringify(draft))
      },
      openDraft(name, value): OpenedDraft | undefined {
        const opened = openWith('d1', scopeOf(name), value)
        if (!opened) return undefined
        // This file wrote the text, and its tag was verified.
        const { e: expiresAt, d: data } = JSON.parse(opened.text) as ShortDraft
        return expiresAt * 1000 > now() ? { data } : undefined
      },
      reportIgnored: (cookie, reason) =>
        log.warn({ event: 'cookie-ignored', cookie, reason, requestId }, 'cookie ignored'),
    }
  }
}

/** The form of a session's value, by its first characters; undefined for any other value. */
export function sessionFormOf(value: string): SessionForm | undefined {
  if (value.startsWith('s1.')) return { isEncrypted: false }
  return value.startsWith('e1.') ? { isEncrypted: true } : undefined
}

interface Opened {
  text: string
  isNewestKey: boolean
}

function sign(form: Form, [key]: Uint8Array[], scope: string, text: string): string {
  const content = Buffer.from(text).toString('base64url')
  return `${form}.${content}.${macOf(key!, scope, content).toString('base64url')}`
}

function verify(form: Form, keys: Uint8Array[], scope: string, value: string): Opened | undefined {
  const [given, content = '', mac = '', ...more] = value.split('.')
  if (given !== form || more.length > 0) return undefined
  const bytes = bytesOf(mac)
  const index = keys.findIndex((key) => isEqual(macOf(key, scope, content), bytes))
  if (index < 0) return undefined
  return { text: Buffer.from(content, 'base64url').toString('utf8'), isNewestKey: index === 0 }
}

/** SECURITY: one spelling for each value: Node skips foreign characters. Another spelling is empty. */
function bytesOf(base64url: string): Buffer {
  const bytes = Buffer.from(base64url, 'base64url')
  return bytes.toString('base64url') === base64url ? bytes : Buffer.alloc(0)
}

function macOf(key: Uint8Array, scope: string, content: string): Buffer {
  return createHmac('sha256', key)
    .update(scope + content)
    .digest()
}

/** SECURITY: the time of the comparison reveals no byte of the right mac. */
function isEqual(mac: Buffer, given: Buffer): boolean {
  return mac.length === given.length && timingSafeEqual(mac, given)
}

function encrypt(form: Form, [key]: Uint8Array[], scope: string, text: string): string {
  return `${form}.${seal(key!, scope, text).toString('base64url')}`
}

function decrypt(form: Form, keys: Uint8Array[], scope: string, value: string): Opened | undefined {
  if (!value.startsWith(`${form}.`)) return undefined
  const opened = unseal(keys, scope, bytesOf(value.slice(3)))
  return opened && { text: opened.text, isNewestKey: opened.keyIndex === 0 }
}

interface ShortDraft {
  e: number
  d?: string | object | undefined
}

interface ShortSession {
  i: string
  p?: string | undefined
  e: number
  d?: Record<string, unknown> | undefined
  f?: string[] | undefined
}

/** A cookie holds 4 KB: member names of one letter. */
function shortened({ id: i, previousId: p, expiresAt: e, data: d, flash: f }: StoredSession): ShortSession {
  return { i, p, e, d, f: f && f.length > 0 ? f : undefined }
}

/** Only this file writes the text, and its mac was verified. */
function lengthened(text: string): StoredSession {
  const { i: id, p: previousId, e: expiresAt, d: data, f: flash } = JSON.parse(text) as ShortSession
  return { id, expiresAt, ...(previousId && { previousId }), ...(data && { data }), ...(flash && { flash }) }
}
