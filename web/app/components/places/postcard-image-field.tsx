// The field for an image. Without JavaScript it is a plain file field; with it the image is shown before it is sent,
// and an image that is too large is rejected before its upload.

import { type ChangeEvent, useEffect, useId, useRef } from 'react'
import { IMAGE_LIMIT_BYTES, imageSizeIssue } from '../../lib/postcards/postcard-input.ts'
import css from './postcard-image-field.module.css'

/** The chosen file: an address under which the browser shows it, or why it cannot be sent. */
export interface ImageChoice {
  preview?: string
  issue?: string
}

interface ImageFieldProps {
  choice: ImageChoice
  onChoose: (choice: ImageChoice) => void
  /** The error message of the server. */
  issue: string | undefined
}

const HINT = `JPEG, PNG or WebP, up to ${IMAGE_LIMIT_BYTES / 1024 / 1024} MB. Where it was taken is not kept.`

export function ImageField({ choice, onChoose, issue: refused }: ImageFieldProps) {
  const id = useId()
  const field = useRef<HTMLInputElement>(null)
  const { preview } = choice
  const issue = choice.issue ?? refused

  // The file stays in memory until its address is revoked.
  useEffect(() => () => (preview ? URL.revokeObjectURL(preview) : undefined), [preview])

  const choose = ({ currentTarget: input }: ChangeEvent<HTMLInputElement>) => {
    const file = input.files?.[0]
    const tooLarge = file && imageSizeIssue(file.size)
    if (tooLarge) input.value = ''
    onChoose(tooLarge ? { issue: tooLarge } : file ? { preview: URL.createObjectURL(file) } : {})
  }
  const leaveOut = () => {
    if (field.current) field.current.value = ''
    field.current?.focus()
    onChoose({})
  }

  return (
    <div className={css.field}>
      <label htmlFor={`${id}-file`} className="label">
        A picture, if you like
      </label>
      <div className={css.row}>
        {preview ? (
          <img src={preview} alt="The one you chose" className={css.preview} onError={() => onChoose({})} />
        ) : null}
        <div className={css.choice}>
          <input
            ref={field}
            id={`${id}-file`}
            type="file"
            name="picture"
            accept="image/jpeg,image/png,image/webp"
            className={css.file}
            aria-invalid={issue ? true : undefined}
            aria-describedby={`${id}-hint ${id}-note`}
            onChange={choose}
          />
          {preview ? (
            <button type="button" className={css.leaveOut} onClick={leaveOut}>
              Leave it out
            </button>
          ) : null}
        </div>
      </div>
      <p id={`${id}-hint`} className={css.hint}>
        {HINT}
      </p>
      <p id={`${id}-note`} className={css.issue} role="status">
        {issue}
      </p>
    </div>
  )
}
