// What is wrong at the moment: faults with an overlay, warnings without. Knows nothing of how they are shown.

import type { DevError, DevSource, DevWarning } from '@portico/shared/wire/dev/dev-wire.ts'

/** A hydration difference in both versions, as React tells it. */
export interface Difference {
  server: string
  browser: string
  /** React's tree of components around it. */
  tree: string
}

export interface Fault extends Omit<DevError, 'source'> {
  source: DevSource | 'browser' | 'hydration'
  difference?: Difference
}

export interface FaultsState {
  faults: readonly Fault[]
  warnings: readonly DevWarning[]
  /** The author put the overlay away; a new fault brings it back. */
  isDismissed: boolean
}

export interface Faults {
  state(): FaultsState
  add(fault: Fault): void
  /** Takes away what `isMended` says. */
  mend(isMended: (fault: Fault) => boolean): void
  warn(warning: DevWarning): void
  /** Puts warnings in the place of those that came under this name before. */
  setWarnings(group: string, warnings: readonly DevWarning[]): void
  clearWarnings(): void
  dismiss(): void
  /** Brings the overlay back. */
  recall(): void
}

/** Faults shown at once: an error in a loop must not fill the memory. */
const MOST_FAULTS = 20

export function createFaults(onChange: (state: FaultsState) => void): Faults {
  let faults: readonly Fault[] = []
  let isDismissed = false
  const groups = new Map<string, readonly DevWarning[]>()
  const state = (): FaultsState => ({ faults, warnings: [...groups.values()].flat(), isDismissed })
  const tell = () => onChange(state())

  const setWarnings = (group: string, warnings: readonly DevWarning[]) => {
    if (JSON.stringify(groups.get(group) ?? []) === JSON.stringify(warnings)) return
    groups.set(group, warnings)
    tell()
  }

  return {
    state,
    add(fault) {
      const known = faults.findIndex((other) => isSame(other, fault))
      // The same fault again says nothing new: an overlay that was put away stays away.
      if (known >= 0) faults = faults.with(known, fault)
      else {
        faults = [...faults, fault].slice(-MOST_FAULTS)
        isDismissed = false
      }
      tell()
    },
    mend(isMended) {
      const left = faults.filter((fault) => !isMended(fault))
      if (left.length === faults.length) return
      faults = left
      tell()
    },
    warn(warning) {
      const known = groups.get('told') ?? []
      if (!known.some(({ text }) => text === warning.text)) setWarnings('told', [...known, warning])
    },
    setWarnings,
    clearWarnings() {
      setWarnings('told', [])
    },
    dismiss() {
      isDismissed = true
      tell()
    },
    recall() {
      isDismissed = false
      tell()
    },
  }
}

function isSame(left: Fault, right: Fault): boolean {
  return (
    left.source === right.source &&
    left.message === right.message &&
    left.file === right.file &&
    left.line === right.line
  )
}
