// draftMode() of portico/server (X13).

import type { RequestContext } from '@portico/shared/wire/bundles.ts'
import {
  DRAFT_COOKIE,
  DRAFT_OFF,
  type DraftCookie,
  type DraftSite,
  draftCookie,
  removedDraftCookie,
} from '@portico/shared/wire/cookies/draft-mode.ts'
import { clientContext, sealOf, writeCookie } from './cookies.ts'
import { currentContext } from './request-context.ts'

/** Whether the client sees drafts, and how to change that. */
export interface DraftMode {
  /** In a page for all clients, true only while the page is rendered for a client in draft mode. */
  readonly isEnabled: boolean
  /** Lets this client see drafts, for 14 days at most. Check first that the client may do so. */
  enable(): void
  /** Shows the published pages to this client again. */
  disable(): void
}

/**
 * Returns the draft mode of the client: in draft mode `getStaticProps` runs for each request, with `draftMode: true`, and
 * no cache keeps the page. `isEnabled` can be read in data functions, actions, API handlers and what they call; `enable`
 * and `disable` set a cookie, and throw where `cookies()` throws.
 *
 * @example
 * ```ts
 * // lib/posts.ts
 * import { draftMode, fetch } from 'portico/server'
 *
 * export async function readPost(slug: string) {
 *   const version = draftMode().isEnabled ? 'draft' : 'published'
 *   const response = await fetch(`https://cms.example/posts/${slug}?version=${version}`)
 *   return (await response.json()) as { title: string }
 * }
 * ```
 *
 * A form switches it off:
 *
 * @example
 * ```ts
 * // actions/leave-drafts.ts
 * 'use server'
 * import { draftMode } from 'portico/server'
 *
 * export async function leaveDrafts() {
 *   draftMode().disable()
 * }
 * ```
 */
export function draftMode(): DraftMode {
  const context = currentContext('draftMode()')
  return {
    get isEnabled() {
      return context.draft?.kind === 'on'
    },
    enable() {
      write('draftMode().enable()', (site) => draftCookie(site))
      context.draft = { kind: 'on', data: {} }
    },
    disable() {
      write('draftMode().disable()', (site) => removedDraftCookie(site, DRAFT_COOKIE))
      context.draft = DRAFT_OFF
    },
  }
}

function write(caller: string, cookieOf: (site: DraftSite) => DraftCookie): void {
  const context: RequestContext = clientContext(caller)
  writeCookie(context, cookieOf({ seal: sealOf(context, caller), isSecure: context.origin.startsWith('https:') }))
  // No cache may keep the response, and what browsers have prefetched belongs to the other mode (P4).
  context.onSession?.('changed')
}
