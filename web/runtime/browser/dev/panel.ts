// Badge and overlay in a shadow root, which the page's styles and scripts do not affect. The development client adds no
// other element to the page.

import { RECONNECT_MAX_ATTEMPTS } from '@portico/shared/wire/constants.ts'
import type { ReconnectState } from './connection.ts'
import type { Faults, FaultsState } from './fault-list.ts'
import { element, type FaultLinks, faultView, headingOf, type OpenPlace, warningsView } from './fault-view.ts'
import { STYLE } from './panel-style.ts'

/** The badge shows a restored connection for this long. */
const WELL_SHOWN_MS = 2000

// The text of the badge in the corner, as a pure function of connection and faults.

export interface BadgeInput {
  connection: ReconnectState
  /** When the connection entered its current state. */
  sinceMs: number
  nowMs: number
  /** The connection was lost at least once. */
  wasLost: boolean
  faults: FaultsState
}

interface Badge {
  tone: 'busy' | 'well' | 'fault' | 'warning'
  text: string
  /** Counts down; screen readers do not read it. */
  detail?: string
  /** Effect of a click. */
  action: 'reload' | 'show-faults' | 'show-warnings' | 'none'
}

/** Undefined when there is nothing to show. */
export function badgeOf({ connection, sinceMs, nowMs, wasLost, faults }: BadgeInput): Badge | undefined {
  if (connection.kind === 'reloading') return { tone: 'busy', text: 'Loading the page again', action: 'none' }
  if (connection.kind === 'waiting' || (connection.kind === 'connecting' && connection.attempt > 0)) {
    const text = `Reconnecting, attempt ${connection.attempt} of ${RECONNECT_MAX_ATTEMPTS}`
    if (connection.kind === 'connecting') return { tone: 'busy', text, action: 'reload' }
    const seconds = Math.max(1, Math.ceil((sinceMs + connection.waitMs - nowMs) / 1000))
    return { tone: 'busy', text, detail: `in ${seconds} s`, action: 'reload' }
  }
  if (faults.faults.length > 0)
    return { tone: 'fault', text: countOf(faults.faults.length, 'error'), action: 'show-faults' }
  if (connection.kind === 'connected' && wasLost && nowMs < sinceMs + WELL_SHOWN_MS)
    return { tone: 'well', text: 'Connected', action: 'none' }
  if (faults.warnings.length > 0)
    return { tone: 'warning', text: countOf(faults.warnings.length, 'warning'), action: 'show-warnings' }
  return undefined
}

function countOf(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

interface Dialog {
  /** Replaces header and content; the focus stays on the same button if the new header has it. */
  show(heading: readonly HTMLElement[], content: readonly HTMLElement[]): void
  hide(): void
}

// The modal dialog of the overlay: a header with a button that closes the dialog, content below, focus.

/** `onClose`: the author closed the dialog. */
function createDialog(root: ShadowRoot, onClose: () => void): Dialog {
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

/** Name of the one element that the development client adds. */
const PANEL_NAME = 'portico-dev'

interface PanelDeps {
  faults: Faults
  open: OpenPlace
  docsUrl: FaultLinks['docsUrl']
  reload: () => void
  now: () => number
}

interface Panel {
  showConnection(state: ReconnectState): void
  showFaults(state: FaultsState): void
}

export function createPanel({ faults, open, docsUrl, reload, now }: PanelDeps): Panel {
  const root = attach()
  const overlay = createOverlay(root, { open, docsUrl }, () => faults.dismiss())
  const input: BadgeInput = {
    connection: { kind: 'connecting', attempt: 0 },
    sinceMs: now(),
    nowMs: now(),
    wasLost: false,
    faults: faults.state(),
  }
  const press = () => {
    const action = badgeOf({ ...input, nowMs: now() })?.action
    if (action === 'reload') reload()
    if (action === 'show-faults') faults.recall()
    if (action === 'show-warnings') overlay.showWarnings(input.faults.warnings)
  }
  const paint = createBadgeView(root, press)
  let timer: ReturnType<typeof setTimeout> | undefined
  const update = () => {
    clearTimeout(timer)
    input.nowMs = now()
    const badge = badgeOf(input)
    paint(badge)
    // A badge that counts down or disappears after a time is painted again.
    if (badge?.detail !== undefined || badge?.tone === 'well') timer = setTimeout(update, 250)
  }

  return {
    showConnection(connection) {
      input.wasLost ||= connection.kind === 'waiting'
      input.connection = connection
      input.sinceMs = now()
      update()
    },
    showFaults(state) {
      input.faults = state
      update()
      overlay.show(state)
    },
  }
}

function attach(): ShadowRoot {
  const host = element('div')
  const root = host.attachShadow({ mode: 'open' })
  const style = new CSSStyleSheet()
  style.replaceSync(STYLE)
  root.adoptedStyleSheets = [style]
  host.id = PANEL_NAME
  // Next to the body, whose content a page may replace.
  document.documentElement.append(host)
  return root
}

function createBadgeView(root: ShadowRoot, press: () => void): (badge: Badge | undefined) => void {
  const text = element('span')
  const detail = element('span', { class: 'detail', 'aria-hidden': 'true' })
  const button = element('button', { type: 'button', class: 'badge', hidden: true, onclick: press }, text, detail)
  const spoken = element('span', { class: 'unseen', role: 'status' })
  root.append(button, spoken)
  return (badge) => {
    button.hidden = badge === undefined
    if (!badge) return
    button.dataset.tone = badge.tone
    button.dataset.action = badge.action
    button.title = TITLES[badge.action]
    text.textContent = badge.text
    detail.textContent = badge.detail ?? ''
    if (spoken.textContent !== badge.text) spoken.textContent = badge.text
  }
}

const TITLES: Readonly<Record<Badge['action'], string>> = {
  reload: 'Load the page again',
  'show-faults': 'Show what is wrong',
  'show-warnings': 'Show warnings',
  none: '',
}

/** Shows one fault of several, or the warnings; both follow the state while the author reads. */
function createOverlay(root: ShadowRoot, links: FaultLinks, dismiss: () => void) {
  let index = 0
  let mode: 'closed' | 'faults' | 'warnings' = 'closed'
  let shown: FaultsState | undefined
  const dialog = createDialog(root, () => {
    const before = mode
    mode = 'closed'
    shown = undefined
    if (before === 'faults') dismiss()
  })
  const turn = (step: number) => () => {
    index += step
    if (shown) showFaults(shown)
  }
  const showFaults = (state: FaultsState) => {
    const { faults } = state
    // The author has just caused the newest fault: it is shown first.
    if (!shown || faults.length > shown.faults.length) index = faults.length - 1
    index = Math.max(0, Math.min(index, faults.length - 1))
    shown = state
    mode = 'faults'
    const fault = faults[index]!
    const heading = [element('span', { class: 'source' }, headingOf(fault))]
    if (faults.length > 1) heading.push(pager(index, faults.length, turn))
    dialog.show(heading, faultView(fault, links))
  }
  const showWarnings = (warnings: FaultsState['warnings']) => {
    mode = 'warnings'
    const heading = [element('span', { class: 'source', 'data-tone': 'warning' }, 'Warnings')]
    dialog.show(heading, warningsView(warnings, links.open))
  }
  return {
    showWarnings,
    show(state: FaultsState) {
      if (state.faults.length > 0 && !state.isDismissed) return showFaults(state)
      shown = undefined
      index = 0
      if (mode === 'warnings' && state.warnings.length > 0) return showWarnings(state.warnings)
      if (mode !== 'closed') dialog.hide()
      mode = 'closed'
    },
  }
}

function pager(index: number, count: number, turn: (step: number) => () => void): HTMLElement {
  const button = (key: string, label: string, text: string, step: number, isAtEnd: boolean) =>
    element(
      'button',
      { type: 'button', class: 'quiet', 'data-key': key, 'aria-label': label, disabled: isAtEnd, onclick: turn(step) },
      text,
    )
  return element(
    'span',
    { class: 'pager' },
    button('earlier', 'Earlier error', '←', -1, index === 0),
    `${index + 1} of ${count}`,
    button('later', 'Later error', '→', 1, index === count - 1),
  )
}
