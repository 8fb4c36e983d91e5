// What may be asked for. Without JavaScript a GET form with a button; with it every change counts at once.

import { type ChangeEvent, type SubmitEvent, useState } from 'react'
import { LAB_FORMATS, type LabChoice, parseLabChoice, URL_LIMIT } from '../lib/lab-choice.ts'
import { PICTURE_QUALITIES, PICTURE_WIDTHS } from '../lib/picture-choices.ts'
import type { LabPicture } from './lab-bench.tsx'
import css from './lab-controls.module.css'

export interface LabControlsProps {
  choice: LabChoice
  pictures: LabPicture[]
  onChange: (choice: LabChoice) => void
  /** Measures the same variant so many times. */
  onAgain: (times: number) => void
  /** Measuring needs JavaScript; before it there is nothing to repeat. */
  canRepeat: boolean
  isBusy: boolean
}

export function LabControls({ choice, pictures, onChange, onAgain, canRepeat, isBusy }: LabControlsProps) {
  const [url, setUrl] = useState(choice.url)
  const [shownUrl, setShownUrl] = useState(choice.url)
  // Back, forward and links change the address without the field.
  if (shownUrl !== choice.url) {
    setShownUrl(choice.url)
    setUrl(choice.url)
  }
  const slugs = pictures.map(({ slug }) => slug)

  const read = (form: HTMLFormElement): LabChoice =>
    // Every field of this form is text.
    parseLabChoice(new URLSearchParams(new FormData(form) as unknown as Record<string, string>), slugs, choice.picture)

  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    const next = read(event.currentTarget)
    if (JSON.stringify(next) === JSON.stringify(choice)) onAgain(1)
    else onChange(next)
  }

  const change = (event: ChangeEvent<HTMLInputElement | HTMLSelectElement>) => {
    const { form, name } = event.currentTarget
    if (!form) return
    const next = read(form)
    // Whoever picks a plate is done with the pasted address; one that is still being typed is not asked for.
    if (name === 'picture') setUrl('')
    onChange({ ...next, url: name === 'picture' ? '' : choice.url })
  }

  return (
    <form action="/lab" method="get" className={css.controls} onSubmit={submit} aria-label="Choose a variant">
      <div className={css.field}>
        <label className="label" htmlFor="lab-picture">
          Plate
        </label>
        <select id="lab-picture" name="picture" value={choice.picture} onChange={change}>
          {pictures.map(({ slug, name }) => (
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
          value={url}
          onChange={({ target }) => setUrl(target.value)}
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
        <select id="lab-width" name="w" value={choice.width} onChange={change}>
          {PICTURE_WIDTHS.map((width) => (
            <option key={width} value={width}>
              {width} pixels
            </option>
          ))}
        </select>
      </div>
      <Choices legend="Quality" name="q" value={choice.quality} onChange={change}>
        {PICTURE_QUALITIES.map((quality) => ({ value: quality, label: String(quality) }))}
      </Choices>
      <Choices legend="Format" name="format" value={choice.format} onChange={change}>
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

interface ChoicesProps {
  legend: string
  name: string
  value: string | number
  onChange: (event: ChangeEvent<HTMLInputElement>) => void
  children: readonly { value: string | number; label: string }[]
}

/** Radio buttons that look like one row of keys. */
function Choices({ legend, name, value, onChange, children }: ChoicesProps) {
  return (
    <fieldset className={css.choices}>
      <legend className="label">{legend}</legend>
      <div className={css.keys}>
        {children.map((option) => (
          <label key={option.value}>
            <input type="radio" name={name} value={option.value} checked={option.value === value} onChange={onChange} />
            <span>{option.label}</span>
          </label>
        ))}
      </div>
    </fieldset>
  )
}
