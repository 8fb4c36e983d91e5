// Reads and writes the cookies of draft mode (X13).

import { stringifySetCookie } from 'cookie'
import type { CookieSeal } from '../../wire/cookies/cookie-seal.ts'
import {
  type DraftCookie,
  type DraftSite,
  type DraftState,
  readDraftState,
  removedDraftCookies,
} from '../../wire/cookies/draft-mode.ts'
import { readCookies } from './request-cookies.ts'

/** The cookies of a client and what they say. */
export interface ClientCookies {
  cookies: Record<string, string>
  cookieSeal: CookieSeal
  draft: DraftState
}

export function readClientCookies(header: string | undefined, cookieSeal: CookieSeal): ClientCookies {
  const cookies = readCookies(header, cookieSeal)
  return { cookies, cookieSeal, draft: readDraftState(cookies, cookieSeal) }
}

/** Values of Set-Cookie. */
export function draftCookieLines(cookies: readonly DraftCookie[]): string[] {
  return cookies.map((cookie) => stringifySetCookie(cookie))
}

/** Removes cookies of draft mode that do not count; empty for any other client. */
export function removalOf(draft: DraftState | undefined, site: DraftSite): string[] {
  return draft?.kind === 'invalid' ? draftCookieLines(removedDraftCookies(site)) : []
}
