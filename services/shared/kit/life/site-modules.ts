// Modules of the site that cannot be loaded (O4): a page, middleware, an API handler or a file of actions that throws while it
// is loaded, or never finishes, ends no service. Each is loaded once; what it serves is 500 with the digest of one log line.

import { setTimeout as sleep } from 'node:timers/promises'
import { ModuleFault } from '../http/errors.ts'
import type { Log } from '../observe/log.ts'

/** A module that waits longer, for example for a database, would hold the start of the service. */
const LOAD_LIMIT_MS = 30_000
/** The next module waits for this time at most, so that modules that wait for something hold the others for seconds only. */
const TURN_MS = 5000
export interface SiteModules {
  /**
   * Loads a module in its turn, and rejects with its ModuleFault, which is logged once for a file. Each call has a time limit
   * of its own.
   */
  load<T>(file: string, load: () => Promise<T>): Promise<T>
  /** The faults of the files that could not be loaded. */
  faults(): readonly ModuleFault[]
}

interface SiteModulesOptions {
  log: Log
  limitMs?: number
  turnMs?: number
  /** Called for each request that needs a module which cannot be loaded. */
  onRequest?: (fault: ModuleFault) => void
}

export function createSiteModules({
  log,
  limitMs = LOAD_LIMIT_MS,
  turnMs = TURN_MS,
  onRequest,
}: SiteModulesOptions): SiteModules {
  const faults = new Map<string, ModuleFault>()
  const inTurn = createTurns(turnMs)
  return {
    async load(file, load) {
      let timer: NodeJS.Timeout | undefined
      try {
        const { loaded } = await inTurn(load)
        const late = new Promise<never>((_, reject) => {
          const fault = () => new Error(`it did not finish loading within ${limitMs / 1000} s`)
          timer = setTimeout(() => reject(fault()), limitMs)
        })
        return await Promise.race([loaded, late])
      } catch (error) {
        const known = faults.get(file)
        if (known) throw known
        const fault = new ModuleFault(file, error, performance.now(), onRequest)
        faults.set(file, fault)
        log.error({ event: 'broken-module', file, digest: fault.digest, error }, fault.message)
        throw fault
      } finally {
        clearTimeout(timer)
      }
    },
    faults: () => [...faults.values()],
  }
}

/**
 * Modules load one after the other: Node refuses to `require` an ES module while an `import` beside it loads the same one
 * (ERR_REQUIRE_ESM_RACE_CONDITION), and keeps that failure. The next load begins at the latest after `turnMs`.
 */
export function createTurns(turnMs = TURN_MS) {
  let turn: Promise<unknown> = Promise.resolve()
  /** Resolves when the load has begun. */
  return <T>(load: () => Promise<T>): Promise<{ loaded: Promise<T> }> => {
    const begun = turn.then(() => ({ loaded: load() }))
    turn = begun.then(({ loaded }) => Promise.race([loaded, sleep(turnMs, undefined, { ref: false })])).catch(() => {})
    return begun
  }
}

/** Faults in the JSON of /readyz, which probes read within a bound. */
const MAX_SHOWN = 20
const MAX_CAUSE_CHARACTERS = 300

/** A module in the JSON of /readyz. The service is ready all the same, or the module is among the reasons. */
export interface ReadinessFault {
  file: string
  cause: string
  /** The digest of the log line. */
  digest: string
}

/** For /readyz: the modules with their causes. */
export function readinessFaults(faults: readonly ModuleFault[]): ReadinessFault[] {
  return faults.slice(0, MAX_SHOWN).map(({ file, cause, digest }) => ({
    file,
    cause: reasonOf(cause).slice(0, MAX_CAUSE_CHARACTERS),
    digest,
  }))
}

function reasonOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause)
}
