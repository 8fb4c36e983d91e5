// pages/notes.tsx
import { eq } from 'drizzle-orm'
import type { GetServerSideProps, PageProps } from 'portico'
import { useActionState } from 'react'
import { signOut } from '../actions/account.ts'
import { addNote } from '../actions/notes.ts'
import { readSession } from '../lib/auth.ts'
import { database } from '../lib/database.ts'
import { note } from '../lib/schema.ts'

export const getServerSideProps = (async ({ res }) => {
  const session = await readSession()
  if (!session) {
    // What this browser has prefetched may be a member's: all its tabs forget it.
    res.setHeader('Portico-Session', 'changed')
    return { redirect: { destination: '/sign-in', permanent: false } }
  }
  const { id, name } = session.user
  const notes = await database.select().from(note).where(eq(note.userId, id))
  return { props: { name, notes } }
}) satisfies GetServerSideProps

export default function Notes({
  name,
  notes,
}: PageProps<typeof getServerSideProps>) {
  const [state, add] = useActionState(addNote, undefined)
  return (
    <main>
      <title>Notes</title>
      <h1>Notes of {name}</h1>
      {notes.map(({ id, text }) => (
        <p key={id}>{text}</p>
      ))}
      <form action={add}>
        <label>
          Note <input name="text" />
        </label>
        <button type="submit">Add</button>
        <p role="status">{state?.issues[0]?.message}</p>
      </form>
      <form action={signOut}>
        <button type="submit">Sign out</button>
      </form>
    </main>
  )
}
