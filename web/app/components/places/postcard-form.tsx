// The form of a postcard. It is a plain form that posts; with JavaScript the page stays and the card appears
// immediately.

import type { InvalidInput } from 'portico'
import { type FormEvent, type ReactNode, type SubmitEvent, startTransition, useActionState, useState } from 'react'
import { type PostcardSent, sendPostcard } from '../../actions/postcards.ts'
import {
  MESSAGE_LIMIT,
  NAME_LIMIT,
  type PostcardInput,
  parsePostcardInput,
} from '../../lib/postcards/postcard-input.ts'
import { CompassRose } from '../frame/compass-rose.tsx'
import css from './postcard-form.module.css'
import { type ImageChoice, ImageField } from './postcard-image-field.tsx'

interface PostcardFormProps {
  place: string
  placeName: string
  /** Who signed the postcard that was sent a moment ago without JavaScript. */
  sender: string | null
  /**
   * Called with a postcard that the browser expects to be accepted, in the transition that sends it.
   * `preview` is an address of its image.
   */
  onSend: (input: PostcardInput, preview: string | undefined) => void
}

type State = PostcardSent | InvalidInput | undefined

const NOTHING_CHOSEN = { choice: {}, after: null }

export function PostcardForm({ place, placeName, sender, onSend }: PostcardFormProps) {
  const [state, send, pending] = useActionState<State, FormData>(sendPostcard, undefined)
  const refused = state && 'issues' in state ? state : null
  // A rejection concerns the submitted image, not one that was chosen later.
  const [{ choice, after }, setChosen] = useState<{ choice: ImageChoice; after: InvalidInput | null }>(NOTHING_CHOSEN)
  const imageIssue = after === refused ? undefined : refused?.issues.find(({ path }) => path === 'picture')?.message

  // Fires before React's own handling of the submission, in the same event and so in the same transition.
  const announce = (event: SubmitEvent<HTMLFormElement>) => {
    const read = parsePostcardInput(Object.fromEntries(new FormData(event.currentTarget)))
    if (!read.issues) startTransition(() => onSend(read.value, choice.preview))
  }
  // React resets an accepted form; a rejected form keeps its file and its preview.
  const forget = (event: FormEvent) => {
    if (!event.defaultPrevented) setChosen(NOTHING_CHOSEN)
  }

  return (
    <form className={css.card} action={send} onSubmit={announce} onReset={forget} noValidate>
      <input type="hidden" name="place" value={place} />
      <div className={css.left}>
        <Field name="message" label="Message" refused={refused}>
          {(field) => <textarea {...field} rows={6} maxLength={MESSAGE_LIMIT} className={css.message} />}
        </Field>
        <ImageField
          choice={choice}
          onChoose={(chosen) => setChosen({ choice: chosen, after: refused })}
          issue={imageIssue}
        />
      </div>
      <div className={css.right}>
        <div className={css.stamp} aria-hidden="true">
          <CompassRose size={44} />
          <span className="label">{placeName}</span>
        </div>
        <Field name="name" label="Your name" refused={refused}>
          {(field) => <input {...field} type="text" autoComplete="name" maxLength={NAME_LIMIT} className={css.name} />}
        </Field>
        {/* A second click has no effect anyway; a disabled button would lose the focus. */}
        <button type="submit" className={css.send} aria-disabled={pending}>
          {pending ? 'Sending…' : 'Send the postcard'}
        </button>
      </div>
      <p className={css.status} role="status" aria-live="polite">
        {pending ? null : statusOf(state, sender)}
      </p>
    </form>
  )
}

function statusOf(state: State, sender: string | null): string | null {
  if (state && 'issues' in state) {
    const ofForm = state.issues.find(({ path }) => path === '')
    return `The postcard was not sent. ${ofForm?.message ?? 'See the notes beside the fields.'}`
  }
  const name = state ? state.postcard.name : sender
  return name === null ? null : `Thank you, ${name}. Your postcard is in the rack.`
}

interface FieldAttributes {
  id: string
  name: string
  required: true
  defaultValue: string
  'aria-invalid': true | undefined
  'aria-describedby': string | undefined
}

interface FieldProps {
  name: 'name' | 'message'
  label: string
  refused: InvalidInput | null
  children: (field: FieldAttributes) => ReactNode
}

/** A label, a control and its error message. */
function Field({ name, label, refused, children }: FieldProps) {
  const issue = refused?.issues.find(({ path }) => path === name)
  const typed = refused?.fields[name]
  const noteId = `postcard-${name}-note`
  return (
    <div className={css.field}>
      <label htmlFor={`postcard-${name}`} className="label">
        {label}
      </label>
      {children({
        id: `postcard-${name}`,
        name,
        required: true,
        defaultValue: typeof typed === 'string' ? typed : '',
        'aria-invalid': issue ? true : undefined,
        'aria-describedby': issue ? noteId : undefined,
      })}
      {issue ? (
        <p id={noteId} className={css.issue}>
          {issue.message}
        </p>
      ) : null}
    </div>
  )
}
