'use server'
// The one thing a visitor can change in this atlas.

import { notFound, redirect } from 'portico'
import { defineAction, headers, revalidatePath } from 'portico/server'
import { findPlace } from '../lib/places.ts'
import { postcardInput } from '../lib/postcard-input.ts'
import { loadPostcardStore, type Postcard } from '../lib/postcard-store.ts'

export interface PostcardSent {
  kind: 'sent'
  postcard: Postcard
}

/** Writes a postcard to a place. Refused input comes back by field; an unknown place is the not-found screen. */
export const sendPostcard = defineAction({ input: postcardInput }, async (input): Promise<PostcardSent> => {
  const place = findPlace(input.place)
  if (!place) notFound()
  const postcard = loadPostcardStore().add(place.slug, input.name, input.message)
  await revalidatePath(`/places/${place.slug}`)
  // Post, redirect, get: without JavaScript a reload must show the rack, not ask to send the form again.
  if (!headers().has('portico-action')) redirect(`/places/${place.slug}?sent=${postcard.id}#postcards`, 303)
  return { kind: 'sent', postcard }
})
