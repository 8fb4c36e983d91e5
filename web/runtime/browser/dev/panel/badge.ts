// The text of the badge in the corner, as a pure function of connection and faults.

import { RECONNECT_MAX_ATTEMPTS } from '@portico/shared/wire/constants.ts'
import type { FaultsState } from '../faults.ts'
import type { ReconnectState } from '../reconnect.ts'

/** The badge shows a restored connection for this long. */
const WELL_SHOWN_MS = 2000

export interface BadgeInput {
  connection: ReconnectState
  /** When the connection entered its current state. */
  sinceMs: number
  nowMs: number
  /** The connection was lost at least once. */
  wasLost: boolean
  faults: FaultsState
}

export interface Badge {
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
