// pages/account.tsx
import type { GetServerSideProps, PageProps } from 'portico'
import { fetch } from 'portico/server'
import { signOut, signOutEverywhere } from '../actions/session.ts'

export const getServerSideProps = (async ({ res, resolvedUrl }) => {
  const answer = await fetch('/api/sessions', { cookies: true })
  if (answer.status === 401) {
    // What this browser has prefetched may be a member's: all its tabs forget it.
    res.setHeader('Portico-Session', 'changed')
    return { redirect: { destination: `/sign-in?next=${encodeURIComponent(resolvedUrl)}`, permanent: false } }
  }
  if (!answer.ok) throw new Error(`/api/sessions answered ${answer.status}`)
  // The handler stands in this very folder.
  const { member, count } = (await answer.json()) as { member: string; count: number }
  return { props: { member, count } }
}) satisfies GetServerSideProps

export default function Account({ member, count }: PageProps<typeof getServerSideProps>) {
  return (
    <>
      <title>Account</title>
      <h1>Account</h1>
      <p id="member">
        {member}, signed in {count === 1 ? 'once' : `${count} times`}
      </p>
      <form action={signOut}>
        <button type="submit">Sign out</button>
      </form>
      <form action={signOutEverywhere}>
        <button type="submit">Sign out everywhere</button>
      </form>
    </>
  )
}
