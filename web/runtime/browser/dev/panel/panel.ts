// Badge and overlay in a shadow root: shows what it is told and says what was pressed. The page's styles and scripts
// cannot reach in, and the page is not touched besides.

import type { Faults, FaultsState } from '../faults.ts'
import type { ReconnectState } from '../reconnect.ts'
import { type Badge, type BadgeInput, badgeOf } from './badge.ts'
import { element } from './element.ts'
import { faultView, type OpenPlace, SOURCE_NAMES, warningsView } from './fault-view.ts'
import { STYLE } from './style.ts'

/** Name of the one element that the development client adds. */
const PANEL_NAME = 'portico-dev'

export interface PanelDeps {
  faults: Faults
  open: OpenPlace
  reload: () => void
  now: () => number
}

export interface Panel {
  showConnection(state: ReconnectState): void
  showFaults(state: FaultsState): void
}

export function createPanel({ faults, open, reload, now }: PanelDeps): Panel {
  const root = attach()
  const overlay = createOverlay(root, open, () => faults.dismiss())
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
    // What counts down or goes away by itself is painted again.
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
  // Beside body: a page may replace what is in there.
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

function createOverlay(root: ShadowRoot, open: OpenPlace, dismiss: () => void) {
  const dialog = element('dialog', { 'aria-labelledby': 'title' })
  root.append(dialog)
  let index = 0
  let shown: FaultsState | undefined
  // Escape, which the browser turns into this event.
  dialog.addEventListener('cancel', (event) => {
    event.preventDefault()
    close()
  })

  const hide = () => {
    // The focus goes back to where it was: the browser's doing.
    dialog.close()
    dialog.replaceChildren()
  }
  const close = () => {
    const hadFaults = shown !== undefined
    shown = undefined
    hide()
    if (hadFaults) dismiss()
  }
  const fill = (heading: HTMLElement[], content: HTMLElement[]) => {
    const closer = element(
      'button',
      { type: 'button', class: 'quiet', onclick: close },
      'Close',
      element('kbd', {}, 'Esc'),
    )
    const focus = (root.activeElement as HTMLElement | null)?.dataset.key
    closer.dataset.key = 'close'
    dialog.replaceChildren(element('header', {}, ...heading, closer), element('div', { class: 'scroll' }, ...content))
    if (!dialog.open) dialog.showModal()
    const again = focus && dialog.querySelector<HTMLButtonElement>(`[data-key=${focus}]:enabled`)
    ;(again || closer).focus({ preventScroll: true })
  }
  const turn = (step: number) => () => {
    index += step
    if (shown) show(shown)
  }
  const show = (state: FaultsState) => {
    const { faults, isDismissed } = state
    if (faults.length === 0 || isDismissed) {
      if (shown) hide()
      shown = undefined
      index = 0
      return
    }
    // A fault that came to those shown is the newest: it is what the author just did.
    if (!shown || faults.length > shown.faults.length) index = faults.length - 1
    index = Math.max(0, Math.min(index, faults.length - 1))
    shown = state
    const fault = faults[index]!
    const heading = [element('span', { class: 'source' }, SOURCE_NAMES[fault.source])]
    if (faults.length > 1) heading.push(pager(index, faults.length, turn))
    fill(heading, faultView(fault, open))
  }
  return {
    show,
    showWarnings(warnings: FaultsState['warnings']) {
      fill([element('span', { class: 'source', 'data-tone': 'warning' }, 'Warnings')], warningsView(warnings, open))
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
