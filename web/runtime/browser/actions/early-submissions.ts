// Submissions from before hydration: React's inline script keeps them, and React runs them after hydration. They follow
// the rule of later clicks: equal ones are one submission. Loaded only if there is such a submission.

import { begin, describeForm } from './form-submissions.ts'

declare global {
  interface Document {
    /** Three members for each submission: form, submitter, contents. */
    $$reactFormReplay?: unknown[]
  }
}

/** Must be called once, before hydration. */
export function watchEarlySubmissions(waiting: unknown[]): void {
  const isWaiting = (form: unknown, contents: string) =>
    waiting.some((each, at) => each === form && describeForm(waiting[at + 2] as FormData) === contents)
  const early = waiting.splice(0)
  for (; early.length > 0; early.splice(0, 3)) {
    const [form, submitter, contents] = early
    if (!isWaiting(form, describeForm(contents as FormData))) waiting.push(form, submitter, contents)
  }
  // React's script listens on the window, so this listener is called before it.
  const onSubmit = (event: SubmitEvent) => {
    // Only forms are submitted.
    const form = event.target as HTMLFormElement
    if (!isWaiting(form, describeForm(new FormData(form, event.submitter)))) return
    event.preventDefault()
    event.stopImmediatePropagation()
  }
  document.addEventListener('submit', onSubmit, { capture: true })
  // React removes a submission with this method and calls its function next, without an event.
  waiting.splice = (at: number, count: number) => {
    const removed = Array.prototype.splice.call(waiting, at, count)
    const [form, , contents] = removed as [HTMLFormElement, unknown, FormData]
    begin({ form, contents: describeForm(contents) })
    return removed
  }
}
