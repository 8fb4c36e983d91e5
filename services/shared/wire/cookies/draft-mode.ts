// Draft mode (X13): a client with a cookie that the site has sealed sees pages with getStaticProps as they would be
// rendered now. The names are those of Next.js, where the mode is also called preview mode.

import type { CookieSeal } from './cookie-seal.ts'

/** Draft mode is on. */
export const DRAFT_COOKIE = '__prerender_bypass'
/** The data of `res.setPreviewData`. */
export const PREVIEW_DATA_COOKIE = '__next_preview_data'

/** Longest life of a cookie without `maxAge`, which the browser may keep for longer than its session. */
const DRAFT_MAX_AGE_SECONDS = 14 * 24 * 60 * 60
/** Characters of a sealed value, as in Next.js: browsers keep 4 KB of a cookie. */
const PREVIEW_DATA_LIMIT = 2048

export type PreviewData = string | object

export type DraftState =
  | { kind: 'off' }
  /** `data` is an empty object where only the mode was switched on. */
  | { kind: 'on'; data: PreviewData }
  /** There is a cookie of draft mode that does not count: the response removes it. */
  | { kind: 'invalid' }

export const DRAFT_OFF: DraftState = { kind: 'off' }

/** The parts of a Set-Cookie value. */
export interface DraftCookie {
  name: string
  value: string
  path: string
  httpOnly: true
  sameSite: 'none' | 'lax'
  secure: boolean
  maxAge?: number
  expires?: Date
}

export interface DraftCookieOptions {
  /** Seconds; without it the cookies end with the browser's session. */
  maxAge?: number | undefined
  path?: string | undefined
}

/** A cookie at the beginning of the header, or behind another one. */
const NAMED = new RegExp(`(?:^|;)[ \\t]*(?:${DRAFT_COOKIE}|${PREVIEW_DATA_COOKIE})[ \\t]*=`)

/**
 * Whether a Cookie header may name draft mode: the response must then come from a renderer, which verifies the cookie.
 * SECURITY: nothing but the way of the request depends on it.
 */
export function namesDraftMode(header: string | undefined): boolean {
  return header !== undefined && NAMED.test(header)
}

/**
 * The draft mode of a request. SECURITY: only a value that this site has sealed under this name switches it on; as in
 * Next.js, data counts only together with the other cookie, and invalid data switches the mode off.
 */
export function readDraftState(cookies: Readonly<Record<string, string>>, seal: CookieSeal): DraftState {
  const bypass = cookieIn(cookies, DRAFT_COOKIE)
  const sealed = cookieIn(cookies, PREVIEW_DATA_COOKIE)
  if (bypass === undefined && sealed === undefined) return DRAFT_OFF
  if (bypass === undefined || seal.openDraft(DRAFT_COOKIE, bypass) === undefined) return { kind: 'invalid' }
  if (sealed === undefined) return { kind: 'on', data: {} }
  const opened = seal.openDraft(PREVIEW_DATA_COOKIE, sealed)
  return opened?.data === undefined ? { kind: 'invalid' } : { kind: 'on', data: opened.data }
}

function cookieIn(cookies: Readonly<Record<string, string>>, name: string): string | undefined {
  // Next.js takes an empty value for no cookie.
  return (Object.hasOwn(cookies, name) && cookies[name]) || undefined
}

/** What code of the site may write: its own seal, and whether the client uses https. */
export interface DraftSite {
  seal: CookieSeal
  isSecure: boolean
}

/** The cookie that switches draft mode on. */
export function draftCookie(site: DraftSite, options: DraftCookieOptions = {}): DraftCookie {
  return sealedCookie(site, DRAFT_COOKIE, undefined, options)
}

/** The cookies of draft mode with data. Throws for data that is too large. */
export function previewCookies(site: DraftSite, data: PreviewData, options: DraftCookieOptions = {}): DraftCookie[] {
  if (JSON.stringify(data) === undefined) throw new Error(`res.setPreviewData(): ${typeof data} is no JSON data`)
  const cookie = sealedCookie(site, PREVIEW_DATA_COOKIE, data, options)
  if (cookie.value.length > PREVIEW_DATA_LIMIT)
    throw new Error(
      `res.setPreviewData(): ${cookie.value.length} characters of sealed data are too many; the limit is ${PREVIEW_DATA_LIMIT}. Keep large data in a database, and its key in the preview data.`,
    )
  return [draftCookie(site, options), cookie]
}

/** A cookie that removes the one of this name and path. */
export function removedDraftCookie(site: DraftSite, name: string, { path }: DraftCookieOptions = {}): DraftCookie {
  return { ...attributesOf(site, name, path), value: '', expires: new Date(0) }
}

/** Both cookies, for a request whose cookies do not count. */
export function removedDraftCookies(site: DraftSite, options: DraftCookieOptions = {}): DraftCookie[] {
  return [DRAFT_COOKIE, PREVIEW_DATA_COOKIE].map((name) => removedDraftCookie(site, name, options))
}

function sealedCookie(
  site: DraftSite,
  name: string,
  data: PreviewData | undefined,
  { maxAge, path }: DraftCookieOptions,
): DraftCookie {
  const value = site.seal.sealDraft(name, { maxAgeSeconds: maxAge ?? DRAFT_MAX_AGE_SECONDS, data })
  return { ...attributesOf(site, name, path), value, ...(maxAge !== undefined && { maxAge }) }
}

/** A CMS shows drafts in a frame, which sends cookies only with SameSite=None; browsers accept that with Secure only. */
function attributesOf({ seal, isSecure }: DraftSite, name: string, path = seal.path) {
  const sameSite = isSecure ? ('none' as const) : ('lax' as const)
  return { name, path, httpOnly: true as const, sameSite, secure: isSecure }
}
