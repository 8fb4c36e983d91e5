// What forms must do around an action call that React does not: a second click is inert while the first is under way,
// and a form that was refused keeps what was typed, files included.

import { isProtocolField } from '@portico/shared/wire/constants.ts'

interface Submission {
  form: HTMLFormElement
  contents: string
}

/** The form of one call. */
export interface HeldForm {
  /** The call was refused: React is about to reset the form, and must not. */
  keep: () => void
  /** The call has its answer. */
  release: () => void
}

let submitting: Submission | undefined
const underWay = new WeakMap<HTMLFormElement, string>()

/** To be called once, before React listens: this listener must see events first. */
export function watchForms(): void {
  document.addEventListener('submit', onSubmit, { capture: true })
}

/** The form whose submission is being told to React just now; undefined for calls of other origins. */
export function holdForm(): HeldForm | undefined {
  if (!submitting) return undefined
  const { form, contents } = submitting
  submitting = undefined
  underWay.set(form, contents)
  restoreReset(form)
  return {
    keep() {
      // React calls the method; a visitor's own reset button does not, and works as ever.
      form.reset = () => restoreReset(form)
    },
    release() {
      if (underWay.get(form) === contents) underWay.delete(form)
    },
  }
}

function onSubmit(event: SubmitEvent): void {
  // Only forms are submitted.
  const form = event.target as HTMLFormElement
  const contents = describeForm(new FormData(form, event.submitter))
  // useActionState would run the second call after the first one, as another submission (A5).
  if (underWay.get(form) === contents) {
    event.preventDefault()
    event.stopImmediatePropagation()
    return
  }
  const submission = { form, contents }
  submitting = submission
  // React calls the action while the event travels. A microtask would come between two listeners.
  setTimeout(() => {
    if (submitting === submission) submitting = undefined
  })
}

/** The form has the method of its kind again. */
function restoreReset(form: HTMLFormElement): void {
  Reflect.deleteProperty(form, 'reset')
}

/** Contents as text, without the framework's fields: the same text is the same submission. */
export function describeForm(form: FormData): string {
  return JSON.stringify(
    [...form]
      .filter(([name]) => !isProtocolField(name))
      .map(([name, value]) => [name, typeof value === 'string' ? value : describeFile(value)]),
  )
}

/** Browsers give a field without a file an empty one that was last modified just now, another one each time. */
function describeFile({ name, size, lastModified }: File): unknown {
  return name === '' && size === 0 ? null : [name, size, lastModified]
}

export const UNREACHABLE_TEXT = 'The site cannot be reached. What you typed is still here: send it again in a moment.'
export const OUTDATED_TEXT = 'This page is out of date. Copy what you typed, reload the page and send it again.'
export const OFFLINE_TEXT = 'You are offline. What you typed is still here: send it again when you are connected.'

const NOTICE_ID = 'portico-notice'

/** Tells the visitor what no place in the page tells; the last notice goes. */
export function showNotice(text: string | undefined): void {
  document.getElementById(NOTICE_ID)?.remove()
  if (text === undefined) return
  const notice = document.createElement('p')
  notice.id = NOTICE_ID
  notice.setAttribute('role', 'alert')
  notice.style.cssText =
    'position:fixed;z-index:2147483647;inset:auto 1rem 1rem;margin:0 auto;max-width:40rem;padding:.75rem 1rem;' +
    'border-radius:.5rem;background:#222;color:#fff;font:1rem/1.5 system-ui,sans-serif;box-shadow:0 2px 12px #0006'
  notice.textContent = text
  notice.addEventListener('click', () => notice.remove())
  document.body.append(notice)
}
