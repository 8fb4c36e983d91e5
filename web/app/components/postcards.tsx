// The rack of a place: the postcards that were sent, and the form to send one.

import { useOptimistic } from 'react'
import { formatDay, formatStamp } from '../lib/format.ts'
import type { Postcard } from '../lib/postcard.ts'
import type { PostcardInput } from '../lib/postcard-input.ts'
import { PostcardForm } from './postcard-form.tsx'
import css from './postcards.module.css'

interface ShownPostcard extends Postcard {
  /** On its way: shown before the server has it. */
  pending?: boolean
}

export interface PostcardsProps {
  /** Slug of the place. */
  place: string
  name: string
  /** Newest first; null when the rack could not be read. */
  postcards: Postcard[] | null
  /** The postcard that was sent a moment ago without JavaScript. */
  sent: number | null
}

export function Postcards({ place, name, postcards, sent }: PostcardsProps) {
  const [shown, showAtOnce] = useOptimistic<ShownPostcard[], PostcardInput>(postcards ?? [], (current, input) => [
    { id: 0, name: input.name, message: input.message, sentAt: new Date().toISOString(), pending: true },
    ...current,
  ])
  const sender = postcards?.find(({ id }) => id === sent)?.name
  return (
    <section className={css.section} aria-labelledby="postcards">
      <div className={`wrap ${css.columns}`}>
        <div className={css.write}>
          <h2 id="postcards">Postcards from {name}</h2>
          <p className={css.invitation}>Have you been? Few have. Write a few words for the rack.</p>
          <PostcardForm place={place} placeName={name} sender={sender ?? null} onSend={showAtOnce} />
        </div>
        <Rack postcards={shown} readable={postcards !== null} />
      </div>
    </section>
  )
}

function Rack({ postcards, readable }: { postcards: ShownPostcard[]; readable: boolean }) {
  if (!readable) return <p className={css.empty}>The rack cannot be reached just now. The postcards are safe.</p>
  if (postcards.length === 0) return <p className={css.empty}>The rack is empty. Yours would be the first.</p>
  return (
    <ol className={css.rack} aria-label="Postcards, newest first">
      {postcards.map((postcard) => (
        <li key={postcard.id} className={css.card} aria-busy={postcard.pending}>
          <p className={css.message}>{postcard.message}</p>
          <p className={css.signature}>
            {postcard.name}
            <time dateTime={postcard.sentAt} title={formatDay(postcard.sentAt)} className={css.date}>
              {postcard.pending ? 'on its way' : formatStamp(postcard.sentAt)}
            </time>
          </p>
        </li>
      ))}
    </ol>
  )
}
