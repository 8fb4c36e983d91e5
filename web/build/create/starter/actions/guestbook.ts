'use server'
// The actions of this site: the functions that visitors' forms run on the server.

import { defineAction } from 'portico/server'
import { addEntry } from '../lib/guestbook.ts'
import { guestbookInput } from '../lib/guestbook-input.ts'

/** Runs only for input that the schema accepts; the form shows the schema's messages next to its fields. */
export const signGuestbook = defineAction({ input: guestbookInput }, async (input) => {
  addEntry(input)
  return { signedBy: input.name }
})
