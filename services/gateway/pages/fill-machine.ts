// The fills of one key as a state machine: at most one runs and one is next, whatever the number of requests (C3, C5).

export type FillState =
  | { readonly kind: 'idle' }
  /** `revision`: that of the feed when the fill began. */
  | { readonly kind: 'running'; readonly revision: number; readonly hasNext: boolean }

export const IDLE: FillState = { kind: 'idle' }

type FillEvent =
  /** A request needs an entry. `isTrusted`: the gateway knows all marks that were made before the request arrived. */
  | { readonly kind: 'needed'; readonly revision: number; readonly isTrusted: boolean }
  /** `servesNext`: the entry is current at this moment, so that it is current for every request that has arrived. */
  | { readonly kind: 'ended'; readonly revision: number; readonly servesNext: boolean }

/**
 * `start`: begin the fill. `join`, `queue`: the request waits for the running fill, or for the next one. `deliver`: the
 * result is for the requests that joined; `deliver-all`: and for those in the queue. `start-next`: begin a fill for the
 * requests in the queue.
 */
type FillEffect = 'start' | 'join' | 'queue' | 'deliver' | 'deliver-all' | 'start-next'

interface Step {
  readonly state: FillState
  readonly effects: readonly FillEffect[]
}

export function reduceFill(state: FillState, event: FillEvent): Step {
  if (event.kind === 'needed') {
    const { revision, isTrusted } = event
    if (state.kind === 'idle')
      return { state: { kind: 'running', revision, hasNext: false }, effects: ['start', 'join'] }
    // SECURITY: what was revalidated before a request arrived must not reach its client. A fill that began before the
    // last mark may carry it; so may a fill that began before the request of a gateway that does not know all marks.
    if (isTrusted && state.revision === revision) return { state, effects: ['join'] }
    return { state: { ...state, hasNext: true }, effects: ['queue'] }
  }
  if (state.kind === 'running' && state.hasNext && !event.servesNext)
    return {
      state: { kind: 'running', revision: event.revision, hasNext: false },
      effects: ['deliver', 'start-next'],
    }
  return { state: IDLE, effects: ['deliver-all'] }
}
