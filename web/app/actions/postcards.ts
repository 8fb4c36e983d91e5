'use server'
// What a visitor can change in this atlas: send a postcard, take it down again, and think better of that.

import { notFound, redirect } from 'portico'
import { cookies, defineAction, headers, revalidatePath } from 'portico/server'
import { findPlace } from '../lib/places.ts'
import type { Postcard } from '../lib/postcard.ts'
import { AUTHOR_COOKIE, AUTHOR_MAX_AGE_SECONDS, authorOf, createAuthorToken } from '../lib/postcard-author.ts'
import { PICTURE_LIMIT_BYTES } from '../lib/postcard-input.ts'
import { loadPostcardStore } from '../lib/postcard-store.ts'
import { postcardChoice, postcardSubmission } from '../lib/postcard-submission.ts'

export interface PostcardSent {
  kind: 'sent'
  postcard: Postcard
}

/**
 * Writes a postcard to a place. Refused input comes back by field; an unknown place is the not-found screen. The body
 * may be twice as large as a picture: what is a little too much is then said beside the field, with the words kept.
 */
export const sendPostcard = defineAction(
  { input: postcardSubmission, bodyLimitBytes: 2 * PICTURE_LIMIT_BYTES },
  async (input): Promise<PostcardSent> => {
    const place = findPlace(input.place)
    if (!place) notFound()
    const postcard = await loadPostcardStore().add({ ...input, place: place.slug, author: identifyAuthor() })
    await revalidatePath(`/places/${place.slug}`)
    answerPlainForm(`/places/${place.slug}?sent=${postcard.id}#postcards`)
    return { kind: 'sent', postcard }
  },
)

/** Takes a visitor's own postcard down; it can be hung up again for a while. Another visitor's stays where it is. */
export const removePostcard = defineAction({ input: postcardChoice }, ({ place, id }) =>
  move(place, (author) => loadPostcardStore().remove(id, author)),
)

/** Hangs a postcard up again that the visitor took down a moment ago. */
export const restorePostcard = defineAction({ input: postcardChoice }, ({ place, id }) =>
  move(place, (author) => loadPostcardStore().restore(id, author)),
)

async function move(slug: string, change: (author: string) => boolean): Promise<void> {
  const place = findPlace(slug)
  if (!place) notFound()
  const author = authorOf(cookies().get(AUTHOR_COOKIE))
  if (author !== undefined && change(author)) await revalidatePath(`/places/${place.slug}`)
  answerPlainForm(`/places/${place.slug}#postcards`)
}

/** The visitor's hash; a first postcard makes the token that later ones are told by. */
function identifyAuthor(): string {
  const known = authorOf(cookies().get(AUTHOR_COOKIE))
  if (known !== undefined) return known
  const token = createAuthorToken()
  cookies().set(AUTHOR_COOKIE, token, { maxAge: AUTHOR_MAX_AGE_SECONDS })
  return authorOf(token)!
}

/** Post, redirect, get: without JavaScript a reload must show the rack, not ask to send the form again. */
function answerPlainForm(location: string): void {
  if (!headers().has('portico-action')) redirect(location, 303)
}
