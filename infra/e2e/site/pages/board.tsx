// Notes that are shown before they are stored, and taken away by forms with bound arguments. Browsers may keep the page,
// so that going back shows the same document.

import type { GetServerSideProps, InvalidInput, PageProps } from 'portico'
import { fetch } from 'portico/server'
import { startTransition, useActionState, useOptimistic } from 'react'
import { pinNote, pinNoteAndLeave, takeNoteDown } from '../actions/notes.ts'
import type { Note } from '../lib/note-store.ts'

export const getServerSideProps = (async ({ res }) => {
  const answer = await fetch('/api/notes?subject=board')
  if (!answer.ok) throw new Error(`/api/notes answered ${answer.status}`)
  // Our own handler, in the same folder.
  const { notes } = (await answer.json()) as { notes: Note[] }
  res.setHeader('Cache-Control', 'private, max-age=0')
  return { props: { notes } }
}) satisfies GetServerSideProps

interface ShownNote extends Note {
  isPending?: boolean
}

export default function Board({ notes }: PageProps<typeof getServerSideProps>) {
  const [state, pin, pending] = useActionState<{ pinned: string } | InvalidInput | undefined, FormData>(
    pinNote,
    undefined,
  )
  const [shown, showAtOnce] = useOptimistic<ShownNote[], string>(notes, (current, text) => [
    { id: 0, subject: 'board', text, isPending: true },
    ...current,
  ])
  return (
    <>
      <title>Board · Fixture</title>
      <h1>Board</h1>
      <form
        id="pin"
        action={pin}
        onSubmit={(event) => {
          const text = String(new FormData(event.currentTarget).get('text'))
          startTransition(() => showAtOnce(text))
        }}
      >
        <input name="text" aria-label="Text" required />
        <button type="submit">{pending ? 'Pinning' : 'Pin'}</button>
      </form>
      <p role="status">{state && 'issues' in state ? state.issues[0]?.message : null}</p>
      <form id="leave" action={pinNoteAndLeave}>
        <input name="text" aria-label="Text to pin and leave" required />
        <button type="submit">Pin and leave</button>
      </form>
      <ul id="notes">
        {shown.map((note) => (
          <li key={note.id} data-pending={note.isPending}>
            {note.text}
            <form action={takeNoteDown.bind(null, note.id)}>
              <button type="submit" aria-label={`Take ${note.text} down`}>
                Take down
              </button>
            </form>
          </li>
        ))}
      </ul>
    </>
  )
}
