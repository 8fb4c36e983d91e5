// A form with a plain action, and the notes it made.

import type { GetServerSideProps, PageProps } from 'portico'
import { fetch } from 'portico/server'
import { saveNote } from '../actions/notes.ts'
import type { Note } from '../lib/note-store.ts'

export const getServerSideProps = (async () => {
  const answer = await fetch('/api/notes?subject=form')
  if (!answer.ok) throw new Error(`/api/notes answered ${answer.status}`)
  // Our own handler, in the same folder.
  const { notes } = (await answer.json()) as { notes: Note[] }
  return { props: { notes } }
}) satisfies GetServerSideProps

export default function FormPage({ notes }: PageProps<typeof getServerSideProps>) {
  return (
    <>
      <title>Form · Fixture</title>
      <h1>Form</h1>
      <form action={saveNote}>
        <label htmlFor="note">Note</label>
        <input id="note" name="note" required />
        <button type="submit">Save</button>
      </form>
      <ul id="notes">
        {notes.map((note) => (
          <li key={note.id}>{note.text}</li>
        ))}
      </ul>
    </>
  )
}
