// The router as a state machine: events in, state and effects out. No fetch, no DOM, no clock; the last navigation
// wins (N6).

/** Where the visitor is: the address with basePath, query and hash, and the key of its history entry. */
export interface Entry {
  url: string
  key: string
}

export type HistoryMode = 'push' | 'replace' | 'pop'
export type ScrollMode = 'target' | 'restore' | 'keep'

export interface Pending extends Entry {
  id: number
  mode: HistoryMode
  scroll: ScrollMode
  redirects: number
}

export interface MachineState {
  shown: Entry
  pending?: Pending
  lastId: number
}

export type MachineEvent =
  | { kind: 'navigate'; url: string; key: string; mode: 'push' | 'replace'; scroll: boolean; shallow: boolean }
  | { kind: 'popped'; url: string; key: string; shallow: boolean }
  | { kind: 'loaded'; id: number }
  | { kind: 'redirected'; id: number; url: string }
  | { kind: 'failed'; id: number; reason: string }

export type Effect =
  | { kind: 'abort'; id: number; url: string }
  | { kind: 'load'; id: number; url: string }
  /** Show what was loaded, then write history and scroll. */
  | { kind: 'commit'; pending: Pending }
  /** Same document: write history and scroll, load nothing. */
  | { kind: 'move'; entry: Entry; mode: HistoryMode; scroll: ScrollMode; shallow: boolean }
  | { kind: 'full-load'; url: string; reason: string }

export interface Transition {
  state: MachineState
  effects: Effect[]
}

/** A chain of redirects longer than this is a loop. */
const MOST_REDIRECTS = 10

export function createMachineState(shown: Entry): MachineState {
  return { shown, lastId: 0 }
}

export function reduce(state: MachineState, event: MachineEvent): Transition {
  switch (event.kind) {
    case 'navigate': {
      // A click on the address shown adds no history entry, as in browsers.
      const mode = event.url === state.shown.url ? 'replace' : event.mode
      const scroll: ScrollMode = event.scroll ? 'target' : 'keep'
      const entry = { url: event.url, key: event.key }
      if (isHashMove(state.shown.url, event.url) || event.shallow)
        return moveTo(state, entry, mode, scroll, event.shallow)
      return begin(state, entry, mode, scroll)
    }
    case 'popped': {
      const entry = { url: event.url, key: event.key }
      const isMove = withoutHash(state.shown.url) === withoutHash(event.url) || event.shallow
      if (isMove) return moveTo(state, entry, 'pop', 'restore', event.shallow)
      return begin(state, entry, 'pop', 'restore')
    }
    case 'loaded': {
      const { pending } = state
      if (pending?.id !== event.id) return { state, effects: [] }
      const shown = { url: pending.url, key: pending.key }
      return { state: { shown, lastId: state.lastId }, effects: [{ kind: 'commit', pending }] }
    }
    case 'redirected': {
      const { pending } = state
      if (pending?.id !== event.id) return { state, effects: [] }
      if (pending.redirects >= MOST_REDIRECTS) return fail(state, event.url, 'redirect-loop')
      // A popped entry that redirects is written over: its place in history shows the new address.
      const mode = pending.mode === 'pop' ? 'replace' : pending.mode
      const next: Pending = { ...pending, url: event.url, mode, scroll: 'target', redirects: pending.redirects + 1 }
      return { state: { ...state, pending: next }, effects: [{ kind: 'load', id: next.id, url: next.url }] }
    }
    case 'failed': {
      const { pending } = state
      if (pending?.id !== event.id) return { state, effects: [] }
      return fail(state, pending.url, event.reason)
    }
  }
}

function begin(state: MachineState, entry: Entry, mode: HistoryMode, scroll: ScrollMode): Transition {
  const id = state.lastId + 1
  const pending: Pending = { ...entry, id, mode, scroll, redirects: 0 }
  return {
    state: { shown: state.shown, pending, lastId: id },
    effects: [...aborts(state), { kind: 'load', id, url: entry.url }],
  }
}

function moveTo(
  state: MachineState,
  entry: Entry,
  mode: HistoryMode,
  scroll: ScrollMode,
  shallow: boolean,
): Transition {
  return {
    state: { shown: entry, lastId: state.lastId },
    effects: [...aborts(state), { kind: 'move', entry, mode, scroll, shallow }],
  }
}

function fail(state: MachineState, url: string, reason: string): Transition {
  return { state: { shown: state.shown, lastId: state.lastId }, effects: [{ kind: 'full-load', url, reason }] }
}

function aborts({ pending }: MachineState): Effect[] {
  return pending ? [{ kind: 'abort', id: pending.id, url: pending.url }] : []
}

/** Whether a click only moves within the page shown: the address differs in its hash, and has one. */
function isHashMove(from: string, to: string): boolean {
  return to.includes('#') && withoutHash(from) === withoutHash(to)
}

export function withoutHash(url: string): string {
  const at = url.indexOf('#')
  return at < 0 ? url : url.slice(0, at)
}
