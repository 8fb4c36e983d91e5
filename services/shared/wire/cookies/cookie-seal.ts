// What services give to app code for signed cookies and sessions: `cookies()` and `createSession` of portico/server reach
// it through the request's context. Services hold the keys; app code never sees them.

/** A session as its cookie carries it. */
export interface StoredSession {
  /** 128 random bits, constant until `regenerate` or `destroy`: the identity of the client (A5). */
  id: string
  /** The id before the last `regenerate`: a submission that was sent before it still runs once (A5). */
  previousId?: string
  /** Seconds since the epoch. */
  expiresAt: number
  /** JSON data of the site; absent before the first update. */
  data?: Record<string, unknown>
  /** Messages for the next page. */
  flash?: string[]
}

interface OpenedSession {
  session: StoredSession
  /** False for a key that is no longer the first one: the cookie should be written again. */
  isNewestKey: boolean
}

export interface SessionForm {
  isEncrypted: boolean
}

/** What a cookie of draft mode holds (X13). */
export interface OpenedDraft {
  /** JSON data; absent in the cookie that only switches the mode on. */
  data?: string | object | undefined
}

/** Seals cookies for one site and one name; a value is valid for no other site and under no other name. */
export interface CookieSeal {
  /** The path of the site's cookies: basePath, or `/`. */
  path: string
  sign(name: string, text: string): string
  /** The text; undefined unless the site signed the value for this name. */
  verify(name: string, value: string): string | undefined
  sealSession(name: string, session: StoredSession, form: SessionForm): string
  /** Undefined unless the site sealed the value for this name, in this form, and the session has not expired. */
  openSession(name: string, value: string, form: SessionForm): OpenedSession | undefined
  /** Encrypts the data: its client cannot read it. */
  sealDraft(name: string, draft: OpenedDraft & { maxAgeSeconds: number }): string
  /** Undefined unless the site sealed the value for this name, and its life has not ended. */
  openDraft(name: string, value: string): OpenedDraft | undefined
  /** Writes one log line about a cookie of this site that is not used. SECURITY: the line never has the value. */
  reportIgnored(name: string, reason: string): void
}
