// The development feed (V1): each state of the app folder, for the other services of the stack. A service requests the state
// after the one that it has; the response waits for it, and the next request is the receipt.

import type { DevState } from '@portico/build/dev/dev.ts'
import type { DevFeedRequest, DevUpdate } from '@portico/shared/wire/dev/dev-inner.ts'

/** A response waits for a state for this long; then it is the state that the service has. */
const HOLD_MS = 20_000
/** Longest wait for receipts: a service that is started again sends none. */
const RECEIPTS_MS = 500

type Published = Pick<DevState, 'version' | 'manifest'>

export interface DevFeed {
  /**
   * Makes this the state, if it is another one. Resolves when every service that follows has it: what browsers learn after this
   * no service sees with older sources.
   */
  publish(state: Published): Promise<void>
  /** The state after the one of the request, when there is one. */
  next(request: DevFeedRequest): Promise<DevUpdate>
}

interface DevFeedOptions {
  first: Published
  /** Absolute paths of the files that changed after a version; undefined for a version that is not known. */
  changedSince: (version: number) => string[] | undefined
  /** Path of the module that the actions service runs. */
  entry: string
  holdMs?: number
}

interface Follower {
  revision: number
  /** Ends the wait of its request. */
  wake: () => void
  /** Ends the wait of `publish` for it. */
  received: () => void
}

export function createDevFeed({ first, changedSince, entry, holdMs = HOLD_MS }: DevFeedOptions): DevFeed {
  let state = first
  let text = JSON.stringify(first.manifest)
  let revision = Date.now()
  const followers = new Map<string, Follower>()
  const receipts = () =>
    [...followers.values()].map((follower) => {
      const received = new Promise<void>((resolve) => (follower.received = resolve))
      follower.wake()
      return received
    })
  return {
    async publish(next) {
      const nextText = JSON.stringify(next.manifest)
      if (next.version === state.version && nextText === text) return
      state = next
      text = nextText
      revision++
      await inTime(Promise.all(receipts()), RECEIPTS_MS)
      for (const [name, follower] of followers) if (follower.revision !== revision) followers.delete(name)
    },
    async next({ name, revision: known, version }) {
      followers.get(name)?.wake()
      const follower: Follower = { revision: known, wake() {}, received: followers.get(name)?.received ?? (() => {}) }
      followers.set(name, follower)
      if (known === revision) {
        follower.received()
        await inTime(new Promise<void>((resolve) => (follower.wake = resolve)), holdMs)
      }
      const files = version < 0 ? undefined : changedSince(version)
      return { revision, version: state.version, manifest: state.manifest, entry, ...(files && { files }) }
    },
  }
}

/** Resolves with the promise, or after the time. */
async function inTime(promise: Promise<unknown>, milliseconds: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  await Promise.race([promise, new Promise<void>((resolve) => (timer = setTimeout(resolve, milliseconds)))])
  clearTimeout(timer)
}
