// actions/account.ts
'use server'
import { APIError } from 'better-auth/api'
import type { InvalidInput } from 'portico'
import { defineAction, headers, redirect, setHeaders } from 'portico/server'
import { z } from 'zod'
import { auth } from '../lib/auth.ts'

const credentials = z.object({
  email: z.email('This is no address.'),
  password: z.string().min(1, 'Your password, please.'),
})
const newAccount = credentials.extend({
  name: z.string().min(1, 'Your name, please.').max(60),
})

export const signUp = defineAction({ input: newAccount }, async (body) => {
  const refused = await enter(
    auth.api.signUpEmail({ body, headers: headers(), returnHeaders: true }),
    { name: body.name, email: body.email },
  )
  return refused ?? redirect('/notes')
})

export const signIn = defineAction({ input: credentials }, async (body) => {
  const refused = await enter(
    auth.api.signInEmail({ body, headers: headers(), returnHeaders: true }),
    { email: body.email },
  )
  return refused ?? redirect('/notes')
})

export async function signOut() {
  const result = await auth.api.signOut({
    headers: headers(),
    returnHeaders: true,
  })
  setHeaders(result.headers)
  redirect('/sign-in')
}

/** Sends the cookies of the attempt, or says why there are none, with the fields that the form shows again. */
async function enter(
  attempt: Promise<{ headers: Headers }>,
  fields: InvalidInput['fields'],
): Promise<InvalidInput | undefined> {
  try {
    setHeaders((await attempt).headers)
  } catch (error) {
    if (error instanceof APIError)
      return { issues: [{ path: '', message: error.message }], fields }
    throw error
  }
}
