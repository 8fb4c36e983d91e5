// Whether a process that exited is started again, and when: a pure function of its exits so far (O1).

import { BAD_SETTINGS_CODE } from '../../config/config.ts'
import { backOff } from './back-off.ts'

/** Exits before the first readiness after which the parent gives up: a restart does not fix such a fault. */
const MAX_EXITS_AT_START = 3
const PAUSES = { firstMs: 250, longestMs: 10_000 }
/** A service that ran this long restarts with the shortest pause. */
const STEADY_AFTER_MS = 30_000

/** A service rejected its settings and named them in its log lines. */
export class SettingsRefusedError extends Error {
  override name = 'SettingsRefusedError'
}

/** The exits so far, and those since the service last ran long. */
export interface RestartState {
  exits: number
  quickExits: number
}

export const NO_EXITS: RestartState = { exits: 0, quickExits: 0 }

interface Exit {
  name: string
  code: number | null
  signal: NodeJS.Signals | null
  ranMs: number
  /** The service was ready at least once. */
  wasReady: boolean
}

type Restart =
  | { kind: 'restart'; pauseMs: number; message: string; state: RestartState }
  | { kind: 'give-up'; error: Error }

export function afterExit(state: RestartState, { name, code, signal, ranMs, wasReady }: Exit): Restart {
  if (!wasReady && code === BAD_SETTINGS_CODE)
    return { kind: 'give-up', error: new SettingsRefusedError(`${name} rejected its settings (see the lines above)`) }
  const exits = state.exits + 1
  const how = `${name} ${signal ? `was ended by ${signal}` : `ended with code ${code}`}`
  if (!wasReady && exits >= MAX_EXITS_AT_START)
    return {
      kind: 'give-up',
      error: new Error(`${how} before it was ready, ${exits} times; see its own message above`),
    }
  const quickExits = (ranMs > STEADY_AFTER_MS ? 0 : state.quickExits) + 1
  const pauseMs = backOff(PAUSES, quickExits)
  return {
    kind: 'restart',
    pauseMs,
    message: `${how}; starting it again in ${pauseMs} ms`,
    state: { exits, quickExits },
  }
}
