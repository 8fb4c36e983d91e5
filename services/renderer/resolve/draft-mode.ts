// The draft mode of a request for a page: what page code and the response get (X13).

import { removalOf } from '@portico/shared/kit/cookies/draft-cookies.ts'
import type { DataFunctionContext } from '@portico/shared/wire/bundles.ts'
import type { DraftState } from '@portico/shared/wire/cookies/draft-mode.ts'
import { PREVIEW_MARK } from '@portico/shared/wire/next/next-data.ts'
import type { Semantics } from '@portico/shared/wire/semantics.ts'
import type { PageRequest } from '../render/outcome.ts'

type DraftMembers = Pick<DataFunctionContext, 'draftMode' | 'preview' | 'previewData'>

/** Members of the argument of a data function; those of Next.js, where other requests have none of them. */
export function draftMembers(draft: DraftState | undefined): DraftMembers {
  return draft?.kind === 'on' ? { draftMode: true, preview: true, previewData: draft.data } : {}
}

/** Members of the props, by which the router of the page says that it is a preview. */
export function markOf(
  { previewMark }: Pick<Semantics, 'previewMark'>,
  draft: DraftState | undefined,
): Record<string, true> {
  return previewMark && draft?.kind === 'on' ? { [PREVIEW_MARK]: true } : {}
}

/** Whether a cookie of draft mode came with the request, valid or not: then no cache may keep the response. */
export function isForDraft({ draft }: PageRequest): boolean {
  return draft !== undefined && draft.kind !== 'off'
}

/** Removes cookies of draft mode that do not count: forged, expired, or of another site. */
export function draftRemovalOf({ draft, cookieSeal, origin }: PageRequest): string[] {
  return cookieSeal ? removalOf(draft, { seal: cookieSeal, isSecure: origin.startsWith('https:') }) : []
}
