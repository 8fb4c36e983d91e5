// pages/account.tsx
import { getServerSession } from 'next-auth/next'
import { signOut } from 'next-auth/react'
import type { GetServerSideProps, PageProps } from 'portico'
import { useActionState } from 'react'
import { applaud } from '../actions/applaud.ts'
import { authOptions } from '../lib/auth.ts'

export const getServerSideProps = (async ({ req, res }) => {
  const session = await getServerSession(req, res, authOptions)
  if (!session) {
    // What this browser has prefetched may be a member's: all its tabs forget it.
    res.setHeader('Portico-Session', 'changed')
    return { redirect: { destination: '/', permanent: false } }
  }
  return { props: { name: session.user?.name ?? '' } }
}) satisfies GetServerSideProps

export default function Account({
  name,
}: PageProps<typeof getServerSideProps>) {
  const [state, act] = useActionState(applaud, undefined)
  return (
    <main>
      <title>Account</title>
      <h1>Account of {name}</h1>
      <form action={act}>
        <button type="submit">Applaud</button>
        {state && <p role="status">Applause by {state.by}</p>}
      </form>
      {/* The page of the library has a button, for browsers without JavaScript. */}
      <a
        href="/api/auth/signout?callbackUrl=/"
        onClick={(event) => {
          event.preventDefault()
          void signOut({ callbackUrl: '/' })
        }}
      >
        Sign out
      </a>
    </main>
  )
}
