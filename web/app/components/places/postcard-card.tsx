// One postcard in the rack. Its writer can take it down, and undo this for ten seconds. Both are plain forms; with
// JavaScript the rack changes immediately.

import { Image } from 'portico'
import { type AnimationEvent, type CSSProperties, startTransition, useEffect, useRef, useState } from 'react'
import { removePostcard, restorePostcard } from '../../actions/postcards.ts'
import { formatDay, formatStamp } from '../../lib/format.ts'
import { type Postcard, UNDO_MS } from '../../lib/postcards/postcard.ts'
import css from './postcard-card.module.css'

export interface ShownPostcard extends Postcard {
  /** Shown before the server has it. */
  pending?: 'sent' | 'removed' | 'restored'
  /** Address of an image that is being uploaded. */
  preview?: string
}

interface PostcardCardProps {
  /** Slug of the place. */
  place: string
  postcard: ShownPostcard
  /** Called in the transition that sends the form. */
  onMove: (kind: 'removed' | 'restored', id: number) => void
  /** Called when the offer to undo has ended. */
  onGone: (id: number) => void
}

export function PostcardCard(props: PostcardCardProps) {
  return props.postcard.removedMs === null ? <Card {...props} /> : <Removed {...props} />
}

/** A card of the rack is about as wide as this. */
const SIZES = '(min-width: 90rem) 29rem, (min-width: 60rem) 35vw, calc(100vw - 5.5rem)'

function Card({ place, postcard, onMove }: PostcardCardProps) {
  const { id, name, message, sentAt, picture, preview, pending, mine } = postcard
  const button = useFocusWhen(pending === 'restored')
  const alt = `The picture on ${name}’s postcard`
  return (
    <li className={css.card} aria-busy={pending === 'sent'}>
      {preview ? <img src={preview} alt={alt} className={css.image} /> : null}
      {picture ? <Image {...picture} alt={alt} sizes={SIZES} className={css.image} /> : null}
      <p className={css.message}>{message}</p>
      <div className={css.signature}>
        <p>{name}</p>
        <time dateTime={sentAt} title={formatDay(sentAt)} className={css.date}>
          {pending === 'sent' ? 'on its way' : formatStamp(sentAt)}
        </time>
        {mine && pending !== 'sent' ? (
          <form
            action={removePostcard}
            onSubmit={() => startTransition(() => onMove('removed', id))}
            className={css.own}
          >
            <Choice place={place} id={id} />
            <button ref={button} type="submit" className={css.link}>
              Take it down
            </button>
          </form>
        ) : null}
      </div>
    </li>
  )
}

/** In place of a card that its writer took down. The time that is left runs in the style sheet, without JavaScript too. */
function Removed({ place, postcard, onMove, onGone }: PostcardCardProps) {
  const { id, pending, removedMs } = postcard
  // Fresh page data must not shorten the time: the animation begins with the time that had passed at first.
  const [spentMs] = useState(removedMs ?? 0)
  const button = useFocusWhen(pending === 'removed')
  const time = { '--undo': `${UNDO_MS}ms`, '--spent': `${-spentMs}ms` } as CSSProperties
  const end = (event: AnimationEvent) => event.target === event.currentTarget && onGone(id)
  return (
    <li className={css.removed} style={time} onAnimationEnd={end}>
      <p id={`removed-${id}`}>Your postcard was taken down.</p>
      <form action={restorePostcard} onSubmit={() => startTransition(() => onMove('restored', id))}>
        <Choice place={place} id={id} />
        <button ref={button} type="submit" className={css.link} aria-describedby={`removed-${id}`}>
          Undo
        </button>
      </form>
      <span className={css.time} aria-hidden="true" />
    </li>
  )
}

function Choice({ place, id }: { place: string; id: number }) {
  return (
    <>
      <input type="hidden" name="place" value={place} />
      <input type="hidden" name="id" value={id} />
    </>
  )
}

/** The pressed button is removed: its opposite gets the focus, otherwise the focus would return to the top of the page. */
function useFocusWhen(isDue: boolean) {
  const button = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    if (isDue) button.current?.focus({ preventScroll: true })
  }, [isDue])
  return button
}
