// The rack of a place: the postcards that were sent, and the form to send one.

import { useOptimistic, useState } from 'react'
import type { Postcard } from '../../lib/postcards/postcard.ts'
import type { PostcardInput } from '../../lib/postcards/postcard-input.ts'
import { PostcardCard, type ShownPostcard } from './postcard-card.tsx'
import { PostcardForm } from './postcard-form.tsx'
import css from './postcards.module.css'

interface PostcardsProps {
  /** Slug of the place. */
  place: string
  name: string
  /** Newest first; null when the rack could not be read. */
  postcards: Postcard[] | null
  /** The postcard that was sent a moment ago without JavaScript. */
  sent: number | null
}

/** A change by the user that is being sent to the server. */
type Change =
  | { kind: 'sent'; input: PostcardInput; preview: string | undefined }
  | { kind: 'removed' | 'restored'; id: number }

export function Postcards({ place, name, postcards, sent }: PostcardsProps) {
  const [shown, showNow] = useOptimistic<ShownPostcard[], Change>(postcards ?? [], withChange)
  const sender = postcards?.find(({ id }) => id === sent)?.name
  return (
    <section className={css.section} aria-labelledby="postcards">
      <div className={`wrap ${css.columns}`}>
        <div className={css.write}>
          <h2 id="postcards">Postcards from {name}</h2>
          <p className={css.invitation}>Have you been? Few have. Write a few words for the rack.</p>
          <PostcardForm
            place={place}
            placeName={name}
            sender={sender ?? null}
            onSend={(input, preview) => showNow({ kind: 'sent', input, preview })}
          />
        </div>
        <Rack
          place={place}
          postcards={shown}
          readable={postcards !== null}
          onMove={(kind, id) => showNow({ kind, id })}
        />
      </div>
    </section>
  )
}

function withChange(postcards: ShownPostcard[], change: Change): ShownPostcard[] {
  if (change.kind !== 'sent') {
    const removedMs = change.kind === 'removed' ? 0 : null
    return postcards.map((card) => (card.id === change.id ? { ...card, removedMs, pending: change.kind } : card))
  }
  const { input, preview } = change
  const card: ShownPostcard = {
    id: 0,
    name: input.name,
    message: input.message,
    sentAt: new Date().toISOString(),
    picture: null,
    mine: true,
    removedMs: null,
    pending: 'sent',
    ...(preview && input.picture ? { preview } : {}),
  }
  return [card, ...postcards]
}

interface RackProps {
  place: string
  postcards: ShownPostcard[]
  readable: boolean
  onMove: (kind: 'removed' | 'restored', id: number) => void
}

function Rack({ place, postcards, readable, onMove }: RackProps) {
  // Cards that were taken down and can no longer be restored here; fresh page data does not have them.
  const [gone, setGone] = useState<readonly number[]>([])
  const shown = postcards.filter(({ id, removedMs }) => removedMs === null || !gone.includes(id))
  const move: RackProps['onMove'] = (kind, id) => {
    setGone((ids) => ids.filter((each) => each !== id))
    onMove(kind, id)
  }
  if (!readable) return <p className={css.empty}>The rack cannot be reached just now. The postcards are safe.</p>
  if (shown.length === 0) return <p className={css.empty}>The rack is empty. Yours would be the first.</p>
  return (
    <ol className={css.rack} aria-label="Postcards, newest first">
      {shown.map((postcard) => (
        <PostcardCard
          key={postcard.id}
          place={place}
          postcard={postcard}
          onMove={move}
          onGone={(id) => setGone((ids) => [...ids, id])}
        />
      ))}
    </ol>
  )
}
