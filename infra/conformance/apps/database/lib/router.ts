// The procedures: they read and write notes.

import { initTRPC, TRPCError } from '@trpc/server'
import { openDatabase } from './database'

const { router, procedure } = initTRPC.create()

function parseText(value: unknown): string {
  if (typeof value === 'string' && value.trim() !== '') return value.trim()
  throw new TRPCError({ code: 'BAD_REQUEST', message: 'a note has a text' })
}

export const notes = router({
  list: procedure.query(async () => (await openDatabase()).note.findMany({ orderBy: { text: 'asc' } })),
  add: procedure.input(parseText).mutation(async ({ input }) => {
    const database = await openDatabase()
    return database.note.upsert({ where: { text: input }, create: { text: input }, update: {} })
  }),
  remove: procedure.input(parseText).mutation(async ({ input }) => {
    const { count } = await (await openDatabase()).note.deleteMany({ where: { text: input } })
    return count
  }),
})

export type Notes = typeof notes
