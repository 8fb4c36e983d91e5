// What React does not do for forms around an action call: a second click has no effect while the first call is running
// (unless the action declares `repeat: 'allow'`), and a refused form keeps its fields, files included.

import { isProtocolField } from '@portico/shared/wire/constants.ts'

interface Submission {
  form: HTMLFormElement
  contents: string
}

/** The form of one call. */
interface HeldForm {
  /** The call was refused: prevents the reset that React is about to make. */
  keep: () => void
  /** The call has ended. */
  release: () => void
}

let submitting: Submission | undefined
/** Contents of each form whose call is running. */
const running = new WeakMap<HTMLFormElement, string>()

/** Must be called once, before React adds its listeners: this listener must receive events first. */
export function watchForms(): void {
  document.addEventListener('submit', onSubmit, { capture: true })
}

/** The form whose submit event React is handling; undefined for a call outside of such an event. */
export function holdForm(mayRepeat: boolean): HeldForm | undefined {
  if (!submitting) return undefined
  const { form, contents } = submitting
  submitting = undefined
  if (!mayRepeat) running.set(form, contents)
  restoreReset(form)
  return {
    keep() {
      // React calls this method; a reset button of the page does not call it, and still works.
      form.reset = () => restoreReset(form)
    },
    release() {
      if (running.get(form) === contents) running.delete(form)
    },
  }
}

function onSubmit(event: SubmitEvent): void {
  // Only forms are submitted.
  const form = event.target as HTMLFormElement
  const contents = describeForm(new FormData(form, event.submitter))
  // useActionState would run the second call after the first one, as another submission (A5).
  if (running.get(form) === contents) {
    event.preventDefault()
    event.stopImmediatePropagation()
    return
  }
  begin({ form, contents })
}

/** React calls the form's function in this task. A microtask would run between two listeners of an event. */
export function begin(submission: Submission): void {
  submitting = submission
  setTimeout(() => {
    if (submitting === submission) submitting = undefined
  })
}

/** Removes the form's own `reset`, so that it has the method of all forms again. */
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

/** For a field without a file browsers create an empty file, each time with the current time. */
function describeFile({ name, size, lastModified }: File): unknown {
  return name === '' && size === 0 ? null : [name, size, lastModified]
}

export const UNREACHABLE_TEXT = 'The site cannot be reached. What you typed is still here: send it again in a moment.'
export const OUTDATED_TEXT = 'This page is out of date. Copy what you typed, reload the page and send it again.'
export const OFFLINE_TEXT = 'You are offline. What you typed is still here: send it again when you are connected.'

const NOTICE_ID = 'portico-notice'

/** Shows a message that the page does not show itself, in place of the previous one; undefined removes it. */
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
