// The current faults, which the overlay shows, and warnings, which the badge counts. panel.ts displays both.

import type { DevError, DevSource, DevWarning } from '@portico/shared/wire/dev/dev-wire.ts'

/** A hydration difference: both versions, as React reports them. */
export interface Difference {
  server: string
  browser: string
  /** React's tree of components around the difference. */
  tree: string
}

export interface Fault extends Omit<DevError, 'source'> {
  source: DevSource | 'browser' | 'hydration'
  difference?: Difference
}

export interface FaultsState {
  faults: readonly Fault[]
  warnings: readonly DevWarning[]
  /** The author closed the overlay; a new fault opens it again. */
  isDismissed: boolean
}

export interface Faults {
  state(): FaultsState
  add(fault: Fault): void
  /** Adds a fault of the browser when its place is read, unless its code was replaced meanwhile. */
  addOfCode(reading: Promise<Fault>): Promise<void>
  /** The page receives other code: removes the faults of the browser. */
  replaceCode(): void
  /** Removes the faults that `isCleared` selects. */
  clear(isCleared: (fault: Fault) => boolean): void
  /** Replaces the warnings of a group. */
  setWarnings(group: string, warnings: readonly DevWarning[]): void
  dismiss(): void
  /** Opens the overlay again. */
  recall(): void
}

/** The latest faults are kept: an error in a loop must not fill the memory. */
const MOST_FAULTS = 20

export function createFaults(onChange: (state: FaultsState) => void): Faults {
  let faults: readonly Fault[] = []
  let isDismissed = false
  let code = 0
  const groups = new Map<string, readonly DevWarning[]>()
  const state = (): FaultsState => ({ faults, warnings: [...groups.values()].flat(), isDismissed })
  const notify = () => onChange(state())

  const setWarnings = (group: string, warnings: readonly DevWarning[]) => {
    if (JSON.stringify(groups.get(group) ?? []) === JSON.stringify(warnings)) return
    groups.set(group, warnings)
    notify()
  }

  const faultsOf = {
    state,
    add(fault: Fault) {
      const known = faults.findIndex((other) => isSame(other, fault))
      // The overlay remains closed for a fault that the author has seen.
      if (known >= 0) faults = faults.with(known, fault)
      else {
        faults = [...faults, fault].slice(-MOST_FAULTS)
        isDismissed = false
      }
      notify()
    },
    async addOfCode(reading: Promise<Fault>) {
      const before = code
      const fault = await reading
      if (code === before) faultsOf.add(fault)
    },
    replaceCode() {
      code++
      faultsOf.clear(isOfBrowser)
    },
    clear(isCleared: (fault: Fault) => boolean) {
      const left = faults.filter((fault) => !isCleared(fault))
      if (left.length === faults.length) return
      faults = left
      notify()
    },
    setWarnings,
    dismiss() {
      isDismissed = true
      notify()
    },
    recall() {
      isDismissed = false
      notify()
    },
  }
  return faultsOf
}

/** Whether the fault occurred in the browser: the server neither knows nor clears it. */
export function isOfBrowser({ source }: Fault): boolean {
  return source === 'browser' || source === 'hydration'
}

function isSame(left: Fault, right: Fault): boolean {
  return (
    left.source === right.source &&
    left.message === right.message &&
    left.file === right.file &&
    left.line === right.line
  )
}
