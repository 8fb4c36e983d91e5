'use server'
// What visitors can change on this site.

import { defineAction } from 'portico/server'
import { addEntry } from '../lib/guestbook.ts'
import { guestbookInput } from '../lib/guestbook-input.ts'

/** What the schema refuses never arrives here; the form shows it beside its fields. */
export const signGuestbook = defineAction({ input: guestbookInput }, async (input) => {
  addEntry(input)
  return { signedBy: input.name }
})
