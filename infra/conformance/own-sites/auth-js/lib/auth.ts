// lib/auth.ts
import type { AuthOptions } from 'next-auth'
import { getToken } from 'next-auth/jwt'
import { cookies, headers, redirect } from 'portico/server'

export const authOptions: AuthOptions = {
  providers: [
    {
      id: 'company',
      name: 'the company',
      type: 'oauth',
      wellKnown: `${process.env.OIDC_ISSUER}/.well-known/openid-configuration`,
      authorization: { params: { scope: 'openid email profile' } },
      checks: ['pkce', 'state'],
      idToken: true,
      clientId: process.env.OIDC_CLIENT_ID,
      clientSecret: process.env.OIDC_CLIENT_SECRET,
      profile: ({ sub, name, email }) => ({ id: sub, name, email }),
    },
  ],
}

/** For actions: a visitor who is not signed in is redirected to the form, and nothing after this line runs. */
export async function requireMember() {
  const request = { cookies: cookies(), headers: headers() }
  // The library names the requests of Next.js, and reads these two members.
  const token = await getToken({ req: request as never })
  return token ?? redirect('/api/auth/signin')
}
