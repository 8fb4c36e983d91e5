// Badge and overlay in a shadow root, which the page's styles and scripts do not affect. The development client adds no
// other element to the page. Their constructed stylesheet applies to the shadow root only, and a content security policy
// does not restrict it.

import { RECONNECT_MAX_ATTEMPTS } from '@portico/shared/wire/constants.ts'
import type { ReconnectState } from './connection.ts'
import type { Faults, FaultsState } from './fault-list.ts'
import { element, type FaultLinks, faultView, headingOf, type OpenPlace, warningsView } from './fault-view.ts'

const STYLE = `
:host {
  all: initial;
  color-scheme: light dark;
  --paper: light-dark(#ffffff, #16181d);
  --raised: light-dark(#f6f5f2, #1f2229);
  --ink: light-dark(#1c1b19, #ecebe8);
  --soft: light-dark(#65615a, #a3a5ad);
  --line: light-dark(#e3e0da, #30343d);
  --fault: light-dark(#b3261e, #ff8a80);
  --fault-wash: light-dark(#fdf0ee, #3a2021);
  --warning: light-dark(#7d5700, #f2c14e);
  --well: light-dark(#1b6e3c, #7bd99a);
  --busy: light-dark(#345a9c, #9dc0ff);
  --word: light-dark(#7a3e9d, #d0a5f5);
  --quoted: light-dark(#1b6e3c, #9bd7a9);
  --mono: ui-monospace, 'SFMono-Regular', 'Cascadia Code', Menlo, Consolas, monospace;
  --sans: system-ui, -apple-system, 'Segoe UI', sans-serif;
  font: 14px/1.5 var(--sans);
}
* { box-sizing: border-box; }
button { font: inherit; color: inherit; cursor: pointer; }
:focus-visible { outline: 2px solid var(--busy); outline-offset: 2px; }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }

.badge {
  position: fixed; z-index: 2147483646; inset: auto auto 16px 16px; max-width: calc(100vw - 32px);
  display: inline-flex; align-items: center; gap: 9px; padding: 7px 14px 7px 12px;
  border: 1px solid var(--line); border-radius: 999px; background: var(--paper); color: var(--ink);
  box-shadow: 0 1px 2px rgb(0 0 0 / .08), 0 6px 20px rgb(0 0 0 / .12);
  font: 500 13px/1.4 var(--sans); font-variant-numeric: tabular-nums;
}
.badge[hidden] { display: none; }
.badge::before { content: ''; flex: none; width: 8px; height: 8px; border-radius: 50%; background: var(--tone); }
.badge[data-tone=busy] { --tone: var(--busy); }
.badge[data-tone=well] { --tone: var(--well); }
.badge[data-tone=fault] { --tone: var(--fault); }
.badge[data-tone=warning] { --tone: var(--warning); }
.badge[data-action=none] { cursor: default; }
.badge .detail { color: var(--soft); font-weight: 400; }
.badge .detail:empty { display: none; }

dialog {
  width: min(920px, calc(100vw - 32px)); max-width: none; max-height: min(86vh, 900px); margin: 7vh auto auto; padding: 0;
  border: 1px solid var(--line); border-radius: 14px; overflow: hidden;
  background: var(--paper); color: var(--ink); box-shadow: 0 24px 80px rgb(0 0 0 / .35);
}
dialog[open] { display: flex; flex-direction: column; }
dialog::backdrop { background: rgb(20 18 16 / .5); }
header {
  display: flex; align-items: center; gap: 12px; padding: 12px 14px 12px 24px; border-bottom: 1px solid var(--line);
}
.source { color: var(--fault); font-weight: 600; margin-right: auto; }
.source[data-tone=warning] { color: var(--warning); }
.pager { flex: none; display: inline-flex; align-items: center; gap: 6px; color: var(--soft); font-variant-numeric: tabular-nums; }
.quiet {
  padding: 4px 10px; border: 1px solid transparent; border-radius: 8px; background: none; color: var(--soft);
}
.quiet:hover { background: var(--raised); color: var(--ink); }
.quiet:disabled { opacity: .35; cursor: default; background: none; }
kbd {
  margin-left: 6px; padding: 1px 6px; border: 1px solid var(--line); border-radius: 5px; background: var(--raised);
  font: 11px/1.5 var(--mono); color: var(--soft);
}
.scroll { overflow: auto; padding: 20px 24px 24px; }
h1 {
  margin: 0 0 14px; font: 600 17px/1.5 var(--sans); white-space: pre-wrap; overflow-wrap: anywhere;
}
h1.long { font: 13px/1.6 var(--mono); }
h1 + .docs { margin-top: -6px; }
.docs { margin: 0 0 14px; color: var(--soft); }
a { color: var(--busy); text-underline-offset: 3px; }
h2 { margin: 22px 0 8px; font: 600 13px/1.4 var(--sans); color: var(--soft); }
.place {
  display: flex; width: 100%; align-items: center; justify-content: space-between; gap: 16px; padding: 9px 14px;
  border: 1px solid var(--line); border-radius: 10px; background: var(--raised); text-align: left;
  font: 13px/1.5 var(--mono); overflow-wrap: anywhere;
}
.place:has(+ .frame) { border-bottom-left-radius: 0; border-bottom-right-radius: 0; }
.place:hover { border-color: var(--soft); }
.place .do { flex: none; font: 500 13px/1.5 var(--sans); color: var(--busy); }
.frame, .tree {
  margin: 0; padding: 10px 0; border: 1px solid var(--line); border-radius: 10px; overflow-x: auto;
  font: 13px/1.65 var(--mono); tab-size: 2; white-space: pre;
}
.place + .frame { border-top: 0; border-top-left-radius: 0; border-top-right-radius: 0; }
.row { display: flex; min-width: max-content; padding-right: 16px; }
.row .number { flex: none; width: 56px; padding-right: 16px; text-align: right; color: var(--soft); user-select: none; }
.row.isFault { background: var(--fault-wash); box-shadow: inset 3px 0 var(--fault); }
.row.isFault .number { color: var(--fault); font-weight: 600; }
.caret { color: var(--fault); font-weight: 700; }
.comment { color: var(--soft); }
.word { color: var(--word); }
.quoted { color: var(--quoted); }
.tree { padding: 10px 14px; }
.tree .minus { color: var(--fault); }
.tree .plus { color: var(--well); }
.sides { display: grid; grid-template-columns: repeat(auto-fit, minmax(240px, 1fr)); gap: 12px; margin-bottom: 14px; }
.side { margin: 0; border: 1px solid var(--line); border-radius: 10px; overflow: hidden; }
.side figcaption { padding: 6px 14px; background: var(--raised); color: var(--soft); font-size: 13px; }
.side pre { margin: 0; padding: 10px 14px; white-space: pre-wrap; overflow-wrap: anywhere; font: 13px/1.6 var(--mono); }
.calls { margin: 0; padding: 0; list-style: none; }
.call {
  display: flex; width: calc(100% + 20px); gap: 12px; justify-content: space-between; padding: 5px 10px; margin: 0 -10px;
  border: 0; border-radius: 8px; background: none; text-align: left; font: 13px/1.5 var(--mono); overflow-wrap: anywhere;
}
button.call:hover { background: var(--raised); }
.call .where { color: var(--soft); text-align: right; }
details > summary { margin-top: 6px; color: var(--soft); cursor: pointer; font-size: 13px; }
.note { margin: 20px 0 0; color: var(--soft); font-size: 13px; }
.warnings { margin: 0; padding: 0; list-style: none; display: grid; gap: 12px; }
.warnings p { margin: 0 0 6px; overflow-wrap: anywhere; }
@media (prefers-reduced-motion: no-preference) {
  dialog[open] { animation: arrive .16s ease-out; }
  .badge[data-tone=busy]::before { animation: breathe 1.4s ease-in-out infinite; }
}
@keyframes arrive { from { opacity: 0; transform: translateY(6px); } }
@keyframes breathe { 50% { opacity: .3; } }
@media (max-width: 520px) {
  .scroll { padding: 16px; }
  header { padding-left: 16px; }
  kbd { display: none; }
  .call { flex-direction: column; gap: 0; }
  .call .where { text-align: left; }
}
`

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
