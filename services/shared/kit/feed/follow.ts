// What a process knows of the state store's marks, as a state machine: which reads and messages change what (C5).

import type { Change, InvalidationMessage } from '../../wire/invalidation.ts'
import type { MarksSince } from './generations.ts'

export interface FollowState {
  /** Undefined before the first read. */
  epoch: string | undefined
  /** All marks up to this generation are known. Messages do not raise it: an earlier message may still be on its way. */
  readUpTo: number
  /** The latest generation of this epoch that a read or a message named. */
  heardUpTo: number
  /** When the last successful read began, in milliseconds of a monotonic clock. */
  confirmedAt: number
  /** Reads in a row that failed. */
  faults: number
}

/** A process that starts has no connection for its first reads, one in 150 ms: no outage yet. */
const FAULTS_OF_START = 10

export type FollowEvent =
  /** `heardBefore`: `heardUpTo` when the read began; the store has counted at least that far. */
  | { kind: 'read'; read: MarksSince; beganAt: number; heardBefore: number }
  | { kind: 'message'; message: InvalidationMessage }
  | { kind: 'fault' }

export type FollowEffect =
  /** Everything that is kept is out of date; generations begin again. */
  | { kind: 'forget' }
  | { kind: 'mark'; change: Change; generation: number }
  /** A change without a place in the store's order; with a generation: unless the marks have it at that place. */
  | { kind: 'mark-unordered'; change: Change; generation?: number }
  | { kind: 'raise-floor'; generation: number }
  | { kind: 'reach'; generation: number }
  | { kind: 'report'; event: 'invalidations-away' | 'invalidations-back' | 'marks-lost' }

export const NOT_READ: FollowState = {
  epoch: undefined,
  readUpTo: 0,
  heardUpTo: 0,
  confirmedAt: Number.NEGATIVE_INFINITY,
  faults: 0,
}

export function follow(state: FollowState, event: FollowEvent): { state: FollowState; effects: FollowEffect[] } {
  switch (event.kind) {
    case 'fault': {
      const faults = state.faults + 1
      // One line per outage, not one per attempt.
      const isReported = faults === faultsOfOutage(state)
      return {
        state: { ...state, faults },
        effects: isReported ? [{ kind: 'report', event: 'invalidations-away' }] : [],
      }
    }
    case 'message':
      return afterMessage(state, event.message)
    case 'read':
      return afterRead(state, event)
  }
}

function faultsOfOutage({ epoch }: FollowState): number {
  return epoch === undefined ? FAULTS_OF_START : 1
}

function afterMessage(
  state: FollowState,
  message: InvalidationMessage,
): { state: FollowState; effects: FollowEffect[] } {
  // A message of another epoch has a place in an order that this process has not read yet.
  if (message.epoch === '' || message.epoch !== state.epoch)
    return { state, effects: [{ kind: 'mark-unordered', change: message }] }
  const { generation } = message
  const effects: FollowEffect[] = []
  // A read was faster, or the store went back in time: then the mark is older than data that the change names.
  if (generation <= state.readUpTo) effects.push({ kind: 'mark-unordered', change: message, generation })
  effects.push({ kind: 'mark', change: message, generation })
  return { state: { ...state, heardUpTo: Math.max(state.heardUpTo, generation) }, effects }
}

function afterRead(state: FollowState, { read, beganAt, heardBefore }: Extract<FollowEvent, { kind: 'read' }>) {
  const known = { epoch: read.epoch, readUpTo: read.generation, confirmedAt: beganAt, faults: 0 }
  const wasReported = state.faults >= faultsOfOutage(state)
  const effects: FollowEffect[] = wasReported ? [{ kind: 'report', event: 'invalidations-back' }] : []
  if (read.epoch !== state.epoch || read.generation < Math.max(state.readUpTo, heardBefore)) {
    // The store lost its data or went back in time: what was marked since then is unknown.
    // A store that was empty had no marks to lose.
    if (state.epoch) effects.push({ kind: 'report', event: 'marks-lost' })
    effects.push({ kind: 'forget' })
    // What the process keeps is later than these marks; pages that the build has rendered may be earlier (X9).
    if (!state.epoch) effects.push(...marksOf(read, 0))
    effects.push({ kind: 'reach', generation: read.generation })
    return { state: { ...known, heardUpTo: read.generation }, effects }
  }
  effects.push(...marksOf(read, state.readUpTo), { kind: 'reach', generation: read.generation })
  return { state: { ...known, heardUpTo: Math.max(state.heardUpTo, read.generation) }, effects }
}

function marksOf({ floor, marks }: MarksSince, readUpTo: number): FollowEffect[] {
  // Marks up to the floor were removed, so that the list of marks is complete above the floor only.
  const raised: FollowEffect[] = floor > readUpTo ? [{ kind: 'raise-floor', generation: floor }] : []
  const named = marks.map(({ kind, name, generation }): FollowEffect => {
    const change = kind === 'path' ? { paths: [name], tags: [] } : { paths: [], tags: [name] }
    return { kind: 'mark', change, generation }
  })
  return [...raised, ...named]
}
