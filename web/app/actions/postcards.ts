'use server'
// What a client can change in this atlas: send a postcard, take it down, and undo that.

import { notFound, redirect } from 'portico'
import { cookies, defineAction, headers, revalidatePath } from 'portico/server'
import { findPlace } from '../lib/places/places.ts'
import type { Postcard } from '../lib/postcards/postcard.ts'
import { AUTHOR_COOKIE, AUTHOR_MAX_AGE_SECONDS, authorOf, createAuthorToken } from '../lib/postcards/postcard-author.ts'
import { IMAGE_LIMIT_BYTES } from '../lib/postcards/postcard-input.ts'
import { postcardChoice, postcardSubmission } from '../lib/postcards/postcard-submission.ts'
import { loadPostcardStore } from '../lib/postcards/store/load-store.ts'
import type { PostcardStore } from '../lib/postcards/store/postcard-store.ts'

export interface PostcardSent {
  kind: 'sent'
  postcard: Postcard
}

/**
 * Writes a postcard to a place. Rejected input is reported by field; an unknown place is the not-found screen. The body
 * may be twice as large as an image, so that the field can report an image that is a little too large.
 */
export const sendPostcard = defineAction(
  { input: postcardSubmission, bodyLimitBytes: 2 * IMAGE_LIMIT_BYTES },
  async (input): Promise<PostcardSent> => {
    const place = findPlace(input.place)
    if (!place) notFound()
    const store = await loadPostcardStore()
    const postcard = await store.add({ ...input, place: place.slug, author: identifyAuthor() })
    await revalidatePath(`/places/${place.slug}`)
    redirectPlainForm(`/places/${place.slug}?sent=${postcard.id}#postcards`)
    return { kind: 'sent', postcard }
  },
)

/** Takes the client's own postcard down, which can be undone for a while. No effect on cards of other clients. */
export const removePostcard = defineAction({ input: postcardChoice }, ({ place, id }) =>
  move(place, (store, author) => store.remove(id, author)),
)

/** Restores a postcard that the client took down a moment ago. */
export const restorePostcard = defineAction({ input: postcardChoice }, ({ place, id }) =>
  move(place, (store, author) => store.restore(id, author)),
)

async function move(slug: string, change: (store: PostcardStore, author: string) => Promise<boolean>): Promise<void> {
  const place = findPlace(slug)
  if (!place) notFound()
  const author = authorOf(cookies().get(AUTHOR_COOKIE))
  if (author !== undefined && (await change(await loadPostcardStore(), author)))
    await revalidatePath(`/places/${place.slug}`)
  redirectPlainForm(`/places/${place.slug}#postcards`)
}

/** The client's hash; the first postcard creates the token that identifies the client later. */
function identifyAuthor(): string {
  const known = authorOf(cookies().get(AUTHOR_COOKIE))
  if (known !== undefined) return known
  const token = createAuthorToken()
  cookies().set(AUTHOR_COOKIE, token, { maxAge: AUTHOR_MAX_AGE_SECONDS })
  return authorOf(token)!
}

/** Post, redirect, get: without JavaScript a reload must show the rack instead of sending the form again. */
function redirectPlainForm(location: string): void {
  if (!headers().has('portico-action')) redirect(location, 303)
}
