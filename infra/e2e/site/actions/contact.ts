// actions/contact.ts
'use server'

import { appendFile } from 'node:fs/promises'
import { join } from 'node:path'
import { defineAction } from 'portico/server'
import { takeTurn, visitorNetwork } from '../lib/limit.ts'

export interface ContactAnswer {
  sent: boolean
  text: string
}

/** Plenty for a letter; the answer to more is 413, and nothing here runs. */
export const sendLetter = defineAction({ bodyLimitBytes: 32_768 }, async (input): Promise<ContactAnswer> => {
  const letter = typeof input.letter === 'string' ? input.letter.replaceAll('\r\n', '\n').trim() : ''
  if (letter === '' || letter.length > 4000) return { sent: false, text: 'Write 1 to 4000 characters.' }
  // For each network, and for all together: many networks may belong to one sender.
  if (!takeTurn(`letter from ${visitorNetwork()}`, { times: 5, seconds: 3600 }))
    return { sent: false, text: 'Five letters an hour are enough. Please come back later.' }
  if (!takeTurn('letter', { times: 500, seconds: 86_400 }))
    return { sent: false, text: 'The letter box is full today.' }
  const line = JSON.stringify({ at: new Date().toISOString(), letter })
  await appendFile(join(process.env.DATA_DIR ?? '.data', 'letters.jsonl'), `${line}\n`)
  return { sent: true, text: 'Thank you.' }
})
