// lib/auth.ts
import { betterAuth } from 'better-auth'
import { drizzleAdapter } from 'better-auth/adapters/drizzle'
import { headers, redirect, setHeaders } from 'portico/server'
import { database } from './database.ts'
import * as schema from './schema.ts'

export const auth = betterAuth({
  database: drizzleAdapter(database, { provider: 'sqlite', schema }),
  emailAndPassword: { enabled: true, minPasswordLength: 12 },
  socialProviders: {
    github: {
      clientId: process.env.GITHUB_CLIENT_ID ?? '',
      clientSecret: process.env.GITHUB_CLIENT_SECRET ?? '',
    },
  },
})

/** For data functions. A session that is in use is extended once a day: its new cookie is sent with the page. */
export async function readSession() {
  const result = await auth.api.getSession({
    headers: headers(),
    returnHeaders: true,
  })
  setHeaders(result.headers)
  return result.response
}

/** For actions: a visitor who is not signed in is redirected to the form, and nothing after this line runs. */
export async function requireUser() {
  const session = await readSession()
  return session?.user ?? redirect('/sign-in')
}
