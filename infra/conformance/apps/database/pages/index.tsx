// The notes, read from the database on the server and changed by procedures from the browser.

import { createTRPCClient, httpBatchLink } from '@trpc/client'
import type { GetServerSideProps } from 'next'
import Link from 'next/link'
import { type FormEvent, useState } from 'react'
import { openDatabase } from '../lib/database'
import type { Notes } from '../lib/router'

interface Props {
  first: string[]
}

const api = createTRPCClient<Notes>({ links: [httpBatchLink({ url: '/api/trpc' })] })

export default function Home({ first }: Props) {
  const [notes, setNotes] = useState(first)
  const [fault, setFault] = useState('')
  const change = (run: () => Promise<unknown>) =>
    run()
      .then(() => api.list.query())
      .then(
        (list) => {
          setNotes(list.map(({ text }) => text))
          setFault('')
        },
        (error: Error) => setFault(error.message),
      )
  const add = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = event.currentTarget
    await change(() => api.add.mutate(String(new FormData(form).get('text'))))
    form.reset()
  }
  return (
    <main>
      <h1>{notes.length} notes</h1>
      <ul>
        {notes.map((text) => (
          <li key={text}>
            {text}{' '}
            <button type="button" onClick={() => change(() => api.remove.mutate(text))}>
              Remove {text}
            </button>
          </li>
        ))}
      </ul>
      <form onSubmit={add}>
        <input name="text" aria-label="Text" />
        <button type="submit">Add</button>
      </form>
      <p>{fault}</p>
      <Link href="/count">Count</Link>
    </main>
  )
}

export const getServerSideProps: GetServerSideProps<Props> = async () => {
  const notes = await (await openDatabase()).note.findMany({ orderBy: { text: 'asc' } })
  return { props: { first: notes.map(({ text }) => text) } }
}
