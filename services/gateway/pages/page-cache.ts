// The page cache of one gateway process (C1): finds what can be sent for a page now, or what a request waits for. Every
// gateway chooses the same renderer as the home of a page.

import type { Feed } from '@portico/shared/kit/feed/feed.ts'
import type { Log } from '@portico/shared/kit/observe/log.ts'
import type { Replica, Replicas } from '../replicas/replicas.ts'
import { ageState, type Decision, decide, type EntryState, type Verdict } from './decide.ts'
import type { EntryClient } from './entry-request.ts'
import { createFills, type Waiter } from './fill.ts'
import { homeOf } from './home.ts'
import type { KeptEntry } from './kept-entry.ts'
import { createPageMemory, type PageMemory } from './memory.ts'
import { type Page, pageKey } from './page-key.ts'

type Found =
  | { readonly kind: 'entry'; readonly entry: KeptEntry; readonly verdict: Verdict; readonly ageMs: number }
  /** `wait` calls the waiter once. */
  | { readonly kind: 'wait'; readonly wait: (waiter: Waiter) => void }
  /** `find` again after this, as `isConfirmed`. */
  | { readonly kind: 'confirm'; readonly confirm: () => Promise<unknown> }
  | { readonly kind: 'pass' }

export interface PageCache {
  /** `isConfirmed`: the marks were read, or the store is away. The result is not `confirm` then. */
  find(page: Page, isConfirmed?: boolean): Found
  /** What `find` would do now. Counts no use and fills nothing. */
  explain(page: Page): PageSituation
  /** The entry received a compressed form. */
  grown(entry: KeptEntry, bytes: number): void
  figures: PageMemory['figures']
}

export interface PageSituation {
  key: string
  home: Replica | undefined
  /** Undefined, too, where a mark names what memory has. */
  entry: KeptEntry | undefined
  ageMs: number
  state: EntryState
  isTrusted: boolean
  decision: Decision
}

interface PageCacheDeps {
  /** The build that this gateway serves. */
  build: string
  limitBytes: number
  replicas: Pick<Replicas, 'list'>
  feed: Pick<Feed, 'asOf' | 'confirm' | 'isConfirmed' | 'isCurrent' | 'position' | 'revision'>
  client: Pick<EntryClient, 'request'>
  log: Pick<Log, 'error'>
  now?: () => number
  onTooLarge?: () => void
}

const PASS: Found = { kind: 'pass' }

export function createPageCache(deps: PageCacheDeps): PageCache {
  const { build, limitBytes, replicas, feed, client, log, onTooLarge, now = () => performance.now() } = deps
  const memory = createPageMemory({ limitBytes })
  const home = ({ name }: Page, except?: Replica) => homeOf(replicas.list(), { build, page: name, now: now(), except })
  const fills = createFills({ build, feed, memory, client, homeOf: home, now, log, ...(onTooLarge && { onTooLarge }) })
  /** While no renderer of the build is ready, entries of the version that was seen last are served. */
  let lastVersion: string | undefined

  /** The entry of a key, unless a mark names it. */
  const currentEntry = (key: string): KeptEntry | undefined => {
    const entry = memory.get(key)
    if (entry === undefined) return undefined
    const revision = feed.revision()
    if (entry.revision === revision) return entry
    if (feed.isCurrent(entry.asOf, entry.path, entry.tags)) {
      entry.revision = revision
      return entry
    }
    memory.delete(key)
    return undefined
  }

  return {
    find(page, isConfirmed = false) {
      const replica = home(page)
      const version = replica?.state.version
      if (version !== undefined) lastVersion = version
      const key = pageKey(version ?? lastVersion ?? '', page)
      const entry = currentEntry(key)
      const ageMs = entry === undefined ? 0 : now() - entry.renderedAt
      const state: EntryState = entry === undefined ? 'none' : ageState(ageMs, entry.freshMs)
      const isTrusted = feed.isConfirmed()
      // The most frequent decision, which depends on nothing else.
      if (isTrusted && state === 'fresh') return { kind: 'entry', entry: entry!, verdict: 'HIT', ageMs }
      const decision = decide({ entry: state, isTrusted, hasHome: replica !== undefined, fill: fills.stateOf(key) })
      if (decision === 'confirm' && !isConfirmed) return { kind: 'confirm', confirm: () => feed.confirm() }
      if (decision === 'pass' || decision === 'confirm') return PASS
      const verdict = VERDICTS[decision]
      if (verdict !== undefined && entry !== undefined) {
        if (decision === 'refresh') fills.need(key, page, { held: entry, isTrusted })
        return { kind: 'entry', entry, verdict, ageMs }
      }
      if (decision === 'failed') return { kind: 'wait', wait: (waiter) => waiter(fills.failureOf(key)) }
      return { kind: 'wait', wait: (waiter) => fills.need(key, page, { held: entry, waiter, isTrusted }) }
    },
    explain(page) {
      const replica = home(page)
      const key = pageKey(replica?.state.version ?? lastVersion ?? '', page)
      const kept = memory.peek(key)
      const entry = kept && feed.isCurrent(kept.asOf, kept.path, kept.tags) ? kept : undefined
      const ageMs = entry === undefined ? 0 : now() - entry.renderedAt
      const state: EntryState = entry === undefined ? 'none' : ageState(ageMs, entry.freshMs)
      const isTrusted = feed.isConfirmed()
      const decision = decide({ entry: state, isTrusted, hasHome: replica !== undefined, fill: fills.stateOf(key) })
      return { key, home: replica, entry, ageMs, state, isTrusted, decision }
    },
    grown(entry, bytes) {
      entry.bytes += bytes
      memory.grown(entry)
    },
    figures: memory.figures,
  }
}

/** The decisions that send the entry. */
export const VERDICTS: Partial<Record<Decision, Verdict>> = { hit: 'HIT', stale: 'STALE', refresh: 'STALE' }
