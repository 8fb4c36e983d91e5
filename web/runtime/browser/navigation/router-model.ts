// The types of the router's state machine: its state, its events and its effects. router-machine.ts reduces,
// router-effects.ts performs.

import type { MaskedPage, RouterEventName } from '../../react/router-context.ts'
import type { ReceivedData, View } from '../view.ts'

/** An entry of the browser's history: the address with basePath, query and hash, and the key of the entry. */
export interface Entry {
  url: string
  key: string
  /** The page to load, where that is not the page of `url` (`as` of Next.js's router, X2). */
  from?: MaskedPage
  /** What a page of Next.js gave to its router: other scripts read it in the state of the history. */
  options?: object
  /** A shallow navigation made it: between two such entries of a path no data is requested. */
  shallow?: true
}

/** `pop`: the browser's history has the entry already. */
type HistoryMode = 'push' | 'replace' | 'pop'
type ScrollMode = 'target' | 'restore' | 'keep'

/** What a navigation or a move leads to. */
export interface Target {
  entry: Entry
  mode: HistoryMode
  scroll: ScrollMode
}

export interface Navigation extends Target {
  id: number
  redirects: number
}

/** A page that React has and that is not in the document yet: React may wait for an earlier page's animation. */
export interface CommittedPage {
  navigation: Navigation
  view: View
  /** From an old prefetched entry: its data is fetched again when the page is shown. */
  isStale: boolean
}

/**
 * A navigation is `loading`, then `committed`, then shown. A state without both is idle; with both, a later navigation
 * began before React showed the page of an earlier one.
 */
export interface RouterState {
  /** The page in the document, with the data that React was given for it last. */
  shown: View
  /** The entry of the last committed page; without one, of the page in the document. */
  entry: Entry
  loading?: Navigation | undefined
  /** Oldest first. React shows the last one, and may show others before it. */
  committed: readonly CommittedPage[]
  lastId: number
}

/** Reports of the load with this id, which may have been aborted meanwhile. */
export type LoadEvent =
  /** The page was not prefetched whole: its load takes time. */
  | { kind: 'delayed'; id: number }
  | { kind: 'loaded'; id: number; view: View; isStale: boolean }
  | { kind: 'redirected'; id: number; url: string; isInside: boolean }
  | { kind: 'failed'; id: number; reason: string }

/** Fresh data of the page at this address, which may have been left meanwhile. */
export type DataEvent =
  /** `undefined`: the data could not be fetched. */
  | { kind: 'data'; url: string; data: ReceivedData | undefined }
  | { kind: 'data-applied'; url: string; view: View }
  | { kind: 'data-redirected'; url: string; location: string }
  | { kind: 'data-failed'; url: string; reason: string }

export type RouterEvent =
  /** `isInside`: the router may follow the address (N4). */
  | { kind: 'navigate'; entry: Entry; mode: 'push' | 'replace'; isInside: boolean; scroll?: boolean; shallow: boolean }
  /** `isOwn`: the browser's entry has a key of this framework; otherwise the key is a new one. */
  | { kind: 'popped'; entry: Entry; isOwn: boolean }
  | LoadEvent
  /** React has put the page of this navigation into the document. */
  | { kind: 'shown'; id: number }
  | { kind: 'refresh' }
  | DataEvent

export type Effect =
  /**
   * Load a page, and report by load events. `address`: that of the address bar, where it is not `url`. `isAgain`: with data
   * that is requested now.
   */
  | { kind: 'load'; id: number; url: string; address?: string; isAgain?: true }
  | { kind: 'abort' }
  /** Fetch the data of a page again, and report `data`. */
  | { kind: 'fetch'; url: string; from?: string }
  /** Make a view of data for the page shown, and report by data events. */
  | { kind: 'apply'; data: ReceivedData; shown: View }
  /**
   * Give React a view; React reports `shown` where the view has a navigation's id. `toTop`: scroll to the top before the
   * layout effects of the page run.
   */
  | { kind: 'show'; view: View; toTop?: true }
  | { kind: 'write-history'; entry: Entry; mode: 'push' | 'replace'; shallow: boolean }
  /** Add a key to the browser's entry, which another script or a plain hash link made. */
  | { kind: 'mark-history'; key: string }
  | { kind: 'scroll'; entry: Entry; mode: ScrollMode }
  | { kind: 'announce'; movesFocus: boolean }
  /** `reason`: why the load of a page failed. */
  | { kind: 'emit'; name: RouterEventName; url: string; shallow?: true; reason?: string }
  /** Report the navigation under way to the page and to the pending bar (N6). */
  | { kind: 'report'; url: string | undefined }
  /** Resolve the promise that `push` or `replace` returned. */
  | { kind: 'settle'; id: number; isShown: boolean }
  /** Resolve the promises of earlier navigations: their pages will not be shown. */
  | { kind: 'settle-earlier'; id: number }
  /** Replace the page shown by that of a redirect. */
  | { kind: 'follow'; location: string }
  /** Leave an address outside the router to the browser. */
  | { kind: 'leave'; mode: 'push' | 'replace'; url: string }
  | { kind: 'full-load'; url: string; reason: string }

export interface Transition {
  state: RouterState
  effects: readonly Effect[]
}
