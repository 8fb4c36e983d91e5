// A form that the page sends: React does not reset it.

import type { FormEvent } from 'react'
import { saveNote } from '../actions/notes.ts'

export default function OwnSubmit() {
  const send = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    void saveNote(new FormData(event.currentTarget))
  }
  return (
    <form onSubmit={send}>
      <input name="note" aria-label="Note" />
      <button type="submit">Send</button>
      <button type="reset">Clear</button>
    </form>
  )
}
