// The controls of the lab. Without JavaScript a GET form with a button; with it every change applies immediately.

import { type SubmitEvent, useState } from 'react'
import { IMAGE_QUALITIES, IMAGE_WIDTHS } from '../../lib/lab/image-choices.ts'
import { LAB_FORMATS, type LabChoice, labHref, URL_LIMIT } from '../../lib/lab/lab-choice.ts'
import css from './lab-controls.module.css'

export interface LabImage {
  slug: string
  name: string
  src: string
  placeholder: string
}

interface LabControlsProps {
  choice: LabChoice
  images: LabImage[]
  onChange: (choice: LabChoice) => void
  /** Measures the same variant so many times. */
  onAgain: (times: number) => void
  /** Measuring needs JavaScript; before it there is nothing to repeat. */
  canRepeat: boolean
  isBusy: boolean
}

export function LabControls({ choice, images, onChange, onAgain, canRepeat, isBusy }: LabControlsProps) {
  // The values of the fields, which are newer than the address while it changes or while the user types.
  const [draft, setDraft] = useState(choice)
  const [shown, setShown] = useState(labHref(choice))
  if (shown !== labHref(choice)) {
    setShown(labHref(choice))
    setDraft(choice)
  }

  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    const next = { ...draft, url: draft.url.trim() }
    if (labHref(next) === labHref(choice)) onAgain(1)
    else onChange(next)
  }

  const change = (part: Partial<LabChoice>) => {
    // An incomplete address is not requested.
    const next = { ...draft, url: choice.url, ...part }
    setDraft({ ...next, url: part.url ?? draft.url })
    onChange(next)
  }

  return (
    <form action="/lab" method="get" className={css.controls} onSubmit={submit} aria-label="Choose a variant">
      <div className={css.field}>
        <label className="label" htmlFor="lab-picture">
          Plate
        </label>
        {/* Choosing a plate removes the pasted address. */}
        <select
          id="lab-picture"
          name="picture"
          value={draft.picture}
          onChange={({ target }) => change({ picture: target.value, url: '' })}
        >
          {images.map(({ slug, name }) => (
            <option key={slug} value={slug}>
              {name}
            </option>
          ))}
        </select>
      </div>
      <div className={css.field}>
        <label className="label" htmlFor="lab-url">
          Or an address
        </label>
        <input
          id="lab-url"
          name="url"
          type="text"
          inputMode="url"
          value={draft.url}
          onChange={({ target }) => setDraft({ ...draft, url: target.value })}
          maxLength={URL_LIMIT}
          placeholder="/landscapes/…"
          spellCheck={false}
          autoComplete="off"
          aria-describedby="lab-url-hint"
        />
        <p id="lab-url-hint" className={css.hint}>
          Only what the site’s configuration allows is fetched.
        </p>
      </div>
      <div className={css.field}>
        <label className="label" htmlFor="lab-width">
          Width
        </label>
        <select
          id="lab-width"
          name="w"
          value={draft.width}
          onChange={({ target }) => change({ width: Number(target.value) })}
        >
          {IMAGE_WIDTHS.map((width) => (
            <option key={width} value={width}>
              {width} pixels
            </option>
          ))}
        </select>
      </div>
      <Choices legend="Quality" name="q" value={draft.quality} onChange={(quality) => change({ quality })}>
        {IMAGE_QUALITIES.map((quality) => ({ value: quality, label: String(quality) }))}
      </Choices>
      <Choices legend="Format" name="format" value={draft.format} onChange={(format) => change({ format })}>
        {LAB_FORMATS}
      </Choices>
      <div className={css.buttons}>
        <button type="submit" className={css.strong} aria-disabled={isBusy}>
          Fetch it
        </button>
        <button type="button" onClick={() => onAgain(10)} className={canRepeat ? undefined : css.unseen}>
          Ten times
        </button>
      </div>
    </form>
  )
}

interface ChoicesProps<Value extends string | number> {
  legend: string
  name: string
  value: Value
  onChange: (value: Value) => void
  children: readonly { value: Value; label: string }[]
}

/** Radio buttons that look like one row of keys. */
function Choices<Value extends string | number>({ legend, name, value, onChange, children }: ChoicesProps<Value>) {
  return (
    <fieldset className={css.choices}>
      <legend className="label">{legend}</legend>
      <div className={css.keys}>
        {children.map((option) => (
          <label key={option.value}>
            <input
              type="radio"
              name={name}
              value={option.value}
              checked={option.value === value}
              onChange={() => onChange(option.value)}
            />
            <span>{option.label}</span>
          </label>
        ))}
      </div>
    </fieldset>
  )
}
