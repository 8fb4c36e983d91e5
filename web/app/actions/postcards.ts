'use server'
// The one thing a visitor can change in this atlas.

import { notFound } from 'portico'
import { defineAction, revalidatePath } from 'portico/server'
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
  return { kind: 'sent', postcard }
})
