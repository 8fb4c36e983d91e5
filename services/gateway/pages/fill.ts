// Fills of the page cache: the gateway's own requests for entries, each for all requests that wait for its key (C3).

import type { Feed } from '@portico/shared/kit/feed/feed.ts'
import type { SendFault } from '@portico/shared/kit/inner/faults.ts'
import { sendWithOneMore } from '@portico/shared/kit/inner/one-more.ts'
import type { Log } from '@portico/shared/kit/observe/log.ts'
import type { ErrorCode } from '@portico/shared/wire/errors/error-catalogue.ts'
import { type Entry, type EntryDocument, type EntryHead, formatEntryTarget } from '@portico/shared/wire/page-entry.ts'
import { buildOfVersion } from '@portico/shared/wire/routing/version.ts'
import { LRUCache } from 'lru-cache'
import type { Replica } from '../replicas/replicas.ts'
import { ageState, type Verdict } from './decide.ts'
import type { EntryClient } from './entry-request.ts'
import { type FillState, IDLE, reduceFill } from './fill-machine.ts'
import { type Arrival, type KeptEntry, keepEntry, renewEntry } from './kept-entry.ts'
import type { PageMemory } from './memory.ts'
import { otherForm, type Page, pageKey } from './page-key.ts'

/** After a failed fill the next one of the key waits this long … */
const PAUSE_MS = 1000
/** … and after an entry that is too large for the memory: until then the proxy responds. */
const TOO_LARGE_PAUSE_MS = 60_000
/** Bytes of the results of failed fills that are kept for their pause. */
const FAILED_LIMIT_BYTES = 4 * 1024 * 1024
/** Fills that run at a time, and requests that wait for them; requests beyond pass to the proxy. */
const MOST_RUNNING = 64
const MOST_WAITING = 1000
/**
 * SECURITY: fills of pages that clients invent leave the others to pages of the build and to entries that are refreshed;
 * slow ones would otherwise keep every entry stale.
 */
const MOST_INVENTED = 48

/** What a request that waited receives. */
export type Filled =
  /** `HIT`: the gateway had the bytes already. */
  | {
      readonly kind: 'entry'
      readonly entry: KeptEntry
      readonly verdict: Verdict
      /** What the renderer's own cache did. */
      readonly rendererVerdict: Verdict
      readonly ageMs: number
      readonly by: Replica
      /** Whether a mark since the fill began, or one that is not known yet, may name the entry. */
      readonly mayBeOld: boolean
    }
  | { readonly kind: 'error'; readonly code: ErrorCode; readonly digest?: string; readonly screen?: Screen }
  /** The proxy responds: the entry cannot be had, or is no entry. */
  | { readonly kind: 'pass' }

type Screen = EntryDocument & { html: Buffer }
export type Waiter = (filled: Filled) => void

const PASS: Filled = { kind: 'pass' }

interface FillsDeps {
  build: string
  feed: Pick<Feed, 'asOf' | 'isConfirmed' | 'isCurrent' | 'position' | 'revision'>
  memory: PageMemory
  client: Pick<EntryClient, 'request'>
  /** The page's home, without a replica that failed. */
  homeOf: (page: Page, except?: Replica) => Replica | undefined
  now: () => number
  log: Pick<Log, 'error'>
  onTooLarge?: () => void
}

interface Fills {
  stateOf(key: string): 'idle' | 'running' | 'paused'
  /** What the last fill of a paused key had as its result. */
  failureOf(key: string): Filled
  /** Fills the key for a request, or behind it where no waiter is given. `held` is an entry that may be current. */
  need(key: string, page: Page, options: { held?: KeptEntry | undefined; waiter?: Waiter; isTrusted: boolean }): void
}

/** The fill of one key. */
interface Run {
  state: FillState
  page: Page
  held: KeptEntry | undefined
  joined: Waiter[]
  queued: Waiter[]
}

export function createFills(deps: FillsDeps): Fills {
  const { feed, now } = deps
  const runs = new Map<string, Run>()
  const failed = new LRUCache<string, { until: number; filled: Filled }>({
    maxSize: FAILED_LIMIT_BYTES,
    sizeCalculation: ({ filled }, key) =>
      1024 + key.length * 2 + ((filled.kind === 'error' && filled.screen?.html.length) || 0),
  })
  let waiting = 0
  const load = createLoad(deps)

  const deliver = (waiters: Waiter[], filled: Filled) => {
    waiting -= waiters.length
    for (const waiter of waiters.splice(0)) waiter(filled)
  }

  const start = async (key: string, run: Run): Promise<void> => {
    const {
      filled,
      pause,
      isCurrent = false,
    } = await load(run).catch((error: unknown): Loaded => {
      deps.log.error({ error, key }, 'fill failed')
      return failedWith(PASS)
    })
    if (pause) failed.set(key, { until: now() + pause.ms, filled: pause.filled })
    if (filled.kind === 'entry') run.held = filled.entry
    const servesNext = filled.kind !== 'entry' || isCurrent
    const step = reduceFill(run.state, { kind: 'ended', revision: feed.revision(), servesNext })
    run.state = step.state
    if (step.state.kind === 'idle') runs.delete(key)
    for (const effect of step.effects) {
      if (effect === 'deliver' || effect === 'deliver-all') deliver(run.joined, filled)
      if (effect === 'deliver-all') deliver(run.queued, filled)
      if (effect === 'start-next') {
        run.joined = run.queued
        run.queued = []
        void start(key, run)
      }
    }
  }

  return {
    stateOf(key) {
      if (runs.has(key)) return 'running'
      const failure = failed.get(key)
      return failure !== undefined && failure.until > now() ? 'paused' : 'idle'
    },
    failureOf: (key) => failed.get(key)?.filled ?? PASS,
    need(key, page, { held, waiter, isTrusted }) {
      const known = runs.get(key)
      const most = page.isFixed || held ? MOST_RUNNING : MOST_INVENTED
      if ((!known && runs.size >= most) || (waiter && waiting >= MOST_WAITING)) return waiter?.(PASS)
      const run = known ?? { state: IDLE, page, held, joined: [], queued: [] }
      const step = reduceFill(run.state, { kind: 'needed', revision: feed.revision(), isTrusted })
      run.state = step.state
      if (waiter) {
        waiting++
        if (step.effects.includes('queue')) run.queued.push(waiter)
        else run.joined.push(waiter)
      }
      if (!step.effects.includes('start')) return
      runs.set(key, run)
      void start(key, run)
    },
  }
}

/** One fill: the request, at most one more at the next home, and the entry's way into memory. */
function createLoad({ build, feed, memory, client, homeOf, now, onTooLarge }: FillsDeps) {
  /**
   * The other form of a page, if it is of another render: of the page's last home, or before a refresh. It is sent once more
   * while it is requested from the home, as an entry that is old by age.
   */
  const refreshOther = ({ result }: KeptEntry, otherKey: string, at: number): void => {
    const other = memory.peek(otherKey)
    if (!other || other.result === result) return
    const oldMs = at - other.renderedAt - 1
    other.freshMs = Math.min(other.freshMs ?? oldMs, oldMs)
  }

  const request = async (
    page: Page,
    held: KeptEntry | undefined,
  ): Promise<{ by: Replica; entry: Entry } | SendFault> => {
    const target = formatEntryTarget({ ...page, position: feed.position(), have: held?.have })
    const first = target === undefined ? undefined : homeOf(page)
    if (target === undefined || !first) return 'unfit'
    const send = (replica: Replica) => client.request(replica, target)
    const next = (replica: Replica) => homeOf(page, replica)
    const { by, result } = await sendWithOneMore({ first, next, send, isRepeatable: true })
    return result.kind === 'entry' ? { by, entry: result.entry } : result.fault
  }

  return async function load({ page, held }: Run): Promise<Loaded> {
    // Before the request: a mark that is made while the entry is on its way refuses the entry.
    const wasConfirmed = feed.isConfirmed()
    const before = { asOf: feed.asOf(), revision: feed.revision() }
    const result = await request(page, held)
    const isTooLarge = result === 'too-large' || (typeof result === 'object' && result.entry.head.kind === 'too-large')
    if (isTooLarge) {
      // What the page was before must not be sent as stale for a day.
      if (held) memory.delete(held.key)
      onTooLarge?.()
      return { filled: PASS, pause: TOO_LARGE }
    }
    if (result === 'busy') return { filled: PASS }
    if (result === 'late') return failedWith({ kind: 'error', code: 'upstream-late' })
    // The request has waited for a renderer as long as it may.
    if (result === 'given-up') return failedWith({ kind: 'error', code: 'overloaded' })
    if (typeof result === 'string') return failedWith(PASS)
    const { by, entry } = result
    const { head } = entry
    if (head.kind === 'error') return failedWith(errorOf(head, entry.html))
    const arrival: Arrival = { ...before, now: now(), by: by.name }
    // Another version may have the same bytes with another policy.
    const isHeld = head.kind === 'unchanged' && held?.key === pageKey(head.version, page)
    const kept = isHeld ? held : keepEntry(page, entry, arrival)
    // HTML of another build belongs to its own gateways; a shell is no entry.
    if (!kept || buildOfVersion(head.version) !== build) return { filled: PASS }
    const isConfirmed = head.confirmation === 'confirmed'
    const isCurrent =
      wasConfirmed && isConfirmed && feed.isConfirmed() && feed.isCurrent(arrival.asOf, kept.path, head.tags)
    const verdicts = { verdict: verdictOf(head), rendererVerdict: head.verdict }
    const sent = { entry: kept, ...verdicts, ageMs: head.ageMs, by, mayBeOld: !isCurrent }
    const filled: Filled = { kind: 'entry', ...sent }
    if (!isCurrent) return { filled }
    if (head.kind === 'unchanged') renewEntry(kept, head, arrival)
    refreshOther(kept, pageKey(head.version, otherForm(page)), arrival.now)
    if (memory.set(kept, page.isFixed)) return { filled, isCurrent }
    onTooLarge?.()
    return { filled, isCurrent, pause: TOO_LARGE }
  }
}

interface Loaded {
  filled: Filled
  /** For this long further requests receive another result instead of a fill. */
  pause?: { ms: number; filled: Filled }
  /** No mark since the fill began refuses the entry. */
  isCurrent?: boolean
}

const TOO_LARGE = { ms: TOO_LARGE_PAUSE_MS, filled: PASS }

function failedWith(filled: Filled): Loaded {
  return { filled, pause: { ms: PAUSE_MS, filled } }
}

/** Without the state store a mark may be missing (C5): the client receives the entry as stale. */
function verdictOf({ kind, confirmation, ageMs, freshMs }: EntryHead): Verdict {
  if (confirmation === 'away' || ageState(ageMs, freshMs) !== 'fresh') return 'STALE'
  return kind === 'unchanged' ? 'HIT' : 'MISS'
}

function errorOf({ code, digest, policy, link }: Extract<EntryHead, { kind: 'error' }>, html: Buffer): Filled {
  return {
    kind: 'error',
    code,
    ...(digest !== undefined && { digest }),
    ...(html.length > 0 && { screen: { html, policy, link } }),
  }
}
