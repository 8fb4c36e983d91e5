// actions/notes.ts
'use server'
import { defineAction, redirect } from 'portico/server'
import { z } from 'zod'
import { requireUser } from '../lib/auth.ts'
import { database } from '../lib/database.ts'
import { note } from '../lib/schema.ts'

const input = z.object({ text: z.string().min(1, 'A text, please.').max(500) })

export const addNote = defineAction({ input }, async ({ text }) => {
  const user = await requireUser()
  await database.insert(note).values({ userId: user.id, text })
  redirect('/notes')
})
