// A dynamic route with a form whose input is validated, and notes from the actions service.

import type { GetServerSideProps, InvalidInput, PageProps } from 'portico'
import { Image } from 'portico'
import { fetch } from 'portico/server'
import { useActionState } from 'react'
import { saveThingNote } from '../../actions/notes.ts'
import type { Note } from '../../lib/note-store.ts'

export const getServerSideProps = (async ({ params }) => {
  const id = String(params.id)
  if (!/^\d{1,9}$/.test(id)) return { notFound: true }
  const answer = await fetch(`/api/notes?subject=${encodeURIComponent(`thing:${id}`)}`)
  if (!answer.ok) throw new Error(`/api/notes answered ${answer.status}`)
  // Our own handler, in the same folder.
  const { notes } = (await answer.json()) as { notes: Note[] }
  return { props: { id, notes } }
}) satisfies GetServerSideProps

type State = { saved: string } | InvalidInput | undefined

export default function Thing({ id, notes }: PageProps<typeof getServerSideProps>) {
  const [state, save, pending] = useActionState<State, FormData>(saveThingNote, undefined)
  const refused = state && 'issues' in state ? state : undefined
  const typed = refused?.fields.text
  return (
    <>
      <title>{`Thing ${id} · Fixture`}</title>
      <h1>Thing {id}</h1>
      <Image src="/pictures/sample.png" width={400} height={250} alt="A disc" />
      <form action={save}>
        <input type="hidden" name="thing" value={id} />
        <label htmlFor="text">Text</label>
        <input id="text" name="text" defaultValue={typeof typed === 'string' ? typed : ''} />
        <button type="submit" disabled={pending}>
          Save
        </button>
      </form>
      <p role="status">{state && 'saved' in state ? `Saved: ${state.saved}` : refused?.issues[0]?.message}</p>
      <ul id="notes">
        {notes.map((note) => (
          <li key={note.id}>{note.text}</li>
        ))}
      </ul>
    </>
  )
}
