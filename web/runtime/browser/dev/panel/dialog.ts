// The modal dialog of the overlay: a header with a button that closes the dialog, content below, focus.

import { element } from './element.ts'

interface Dialog {
  /** Replaces header and content; the focus stays on the same button if the new header has it. */
  show(heading: readonly HTMLElement[], content: readonly HTMLElement[]): void
  hide(): void
}

/** `onClose`: the author closed the dialog. */
export function createDialog(root: ShadowRoot, onClose: () => void): Dialog {
  const dialog = element('dialog', { 'aria-labelledby': 'title' })
  root.append(dialog)
  const hide = () => {
    // The browser returns the focus to the element that had it before.
    dialog.close()
    dialog.replaceChildren()
  }
  const close = () => {
    hide()
    onClose()
  }
  // The browser's event for Escape.
  dialog.addEventListener('cancel', (event) => {
    event.preventDefault()
    close()
  })
  return {
    show(heading, content) {
      const closer = element(
        'button',
        { type: 'button', class: 'quiet', onclick: close },
        'Close',
        element('kbd', {}, 'Esc'),
      )
      const focusedKey = (root.activeElement as HTMLElement | null)?.dataset.key
      closer.dataset.key = 'close'
      dialog.replaceChildren(element('header', {}, ...heading, closer), element('div', { class: 'scroll' }, ...content))
      if (!dialog.open) dialog.showModal()
      const again = focusedKey && dialog.querySelector<HTMLButtonElement>(`[data-key=${focusedKey}]:enabled`)
      ;(again || closer).focus({ preventScroll: true })
    },
    hide,
  }
}
