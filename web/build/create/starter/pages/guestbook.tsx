// The entries of visitors, and a form to add one. Rendered for each visit.

import { type GetServerSideProps, type InvalidInput, type PageProps, publicEnv } from 'portico'
import { fetch } from 'portico/server'
import { useActionState } from 'react'
import { signGuestbook } from '../actions/guestbook.ts'
import type { GuestbookEntry } from '../lib/guestbook.ts'
import { MESSAGE_LIMIT, NAME_LIMIT } from '../lib/guestbook-input.ts'
import css from '../styles/guestbook.module.css'

export const getServerSideProps = (async () => {
  const response = await fetch('/api/guestbook')
  if (!response.ok) throw new Error(`/api/guestbook responded with ${response.status}`)
  // Our own handler: pages/api/guestbook.ts.
  const { entries } = (await response.json()) as { entries: GuestbookEntry[] }
  return { props: { entries } }
}) satisfies GetServerSideProps

type State = { signedBy: string } | InvalidInput | undefined

export default function Guestbook({ entries }: PageProps<typeof getServerSideProps>) {
  const [state, sign, isPending] = useActionState<State, FormData>(signGuestbook, undefined)
  const refused = state && 'issues' in state ? state : undefined
  return (
    <>
      <title>{`Guestbook · ${publicEnv('SITE_NAME')}`}</title>
      <meta name="description" content="What visitors of this site wrote." />
      <h1>Guestbook</h1>
      <p className="lede">It works before JavaScript has loaded, and without it.</p>
      <div className={css.columns}>
        <form action={sign} className={css.form} noValidate>
          <Field name="name" label="Your name" refused={refused} autoComplete="name" maxLength={NAME_LIMIT} />
          <Field name="message" label="A line or two" refused={refused} rows={4} maxLength={MESSAGE_LIMIT} />
          <button type="submit" className="button" disabled={isPending}>
            {isPending ? 'Signing…' : 'Sign the guestbook'}
          </button>
          <p role="status" className={css.status}>
            {isPending ? null : statusOf(state)}
          </p>
        </form>
        {entries.length > 0 ? (
          <Entries entries={entries} />
        ) : (
          <p className={css.empty}>Nobody has written yet: the first line is yours.</p>
        )}
      </div>
    </>
  )
}

function statusOf(state: State): string | undefined {
  if (state && 'signedBy' in state) return `Thank you, ${state.signedBy}.`
  // The form as a whole, for example because it is too large.
  return state?.issues.find(({ path }) => path === '')?.message
}

interface FieldProps {
  name: 'name' | 'message'
  label: string
  refused: InvalidInput | undefined
  autoComplete?: string
  maxLength: number
  /** A field of several lines. */
  rows?: number
}

/** A label, a control that keeps its text, and the schema's message. */
function Field({ name, label, refused, ...rest }: FieldProps) {
  const issue = refused?.issues.find(({ path }) => path === name)
  const typed = refused?.fields[name]
  const control = {
    ...rest,
    id: name,
    name,
    required: true,
    defaultValue: typeof typed === 'string' ? typed : '',
    'aria-invalid': issue !== undefined,
    'aria-describedby': `${name}-issue`,
  }
  return (
    <div className={css.field}>
      <label htmlFor={name}>{label}</label>
      {rest.rows ? <textarea {...control} /> : <input {...control} />}
      <p id={`${name}-issue`} className={css.issue}>
        {issue?.message}
      </p>
    </div>
  )
}

function Entries({ entries }: { entries: GuestbookEntry[] }) {
  return (
    <ul className={css.entries}>
      {entries.map(({ id, name, message, signedAt }) => (
        <li key={id}>
          <p className={css.message}>{message}</p>
          <p className={css.by}>
            {name}, <time dateTime={signedAt}>{formatDay(signedAt)}</time>
          </p>
        </li>
      ))}
    </ul>
  )
}

/** The same text on the server and in every browser. */
function formatDay(time: string): string {
  return new Date(time).toLocaleDateString('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' })
}
