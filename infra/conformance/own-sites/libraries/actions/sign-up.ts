// actions/sign-up.ts
'use server'
import { appendFile } from 'node:fs/promises'
import { hash } from '@node-rs/argon2'
import { defineAction } from 'portico/server'
import * as v from 'valibot'

const input = v.object({
  email: v.pipe(v.string(), v.email('This is no address.')),
  password: v.pipe(v.string(), v.minLength(12, 'At least 12 characters.')),
})

export const signUp = defineAction({ input }, async ({ email, password }) => {
  const account = { email, password: await hash(password) }
  await appendFile(
    `${process.env.DATA_DIR}/accounts`,
    `${JSON.stringify(account)}\n`,
    { mode: 0o600 },
  )
  return { kind: 'registered', email } as const
})
