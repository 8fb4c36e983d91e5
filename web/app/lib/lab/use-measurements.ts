// Measures the chosen variant when the choice changes or on request, and remembers the latest times.

import { useCallback, useEffect, useRef, useState } from 'react'
import { type LabOutcome, type Measurement, measureOriginal, measureVariant } from './measure-variant.ts'

/** Times in the chart. */
export const RECENT_LIMIT = 32

export type LabState =
  /** No measurement yet: the state of the server render, and of browsers without JavaScript. */
  { kind: 'idle' } | { kind: 'measuring'; last: Measurement | undefined } | LabOutcome | { kind: 'failed' }

export interface Timing {
  id: number
  ms: number
  verdict: string
}

interface MeasurementsRequest {
  /** Addresses of the variant and of the image that it is compared with. */
  variant: string
  original: string
  accept: string
}

export function useMeasurements({ variant, original, accept }: MeasurementsRequest) {
  const [state, setState] = useState<LabState>({ kind: 'idle' })
  const [recent, setRecent] = useState<Timing[]>([])
  const [originalBytes, setOriginalBytes] = useState<number>()
  const shown = useRef<Measurement>(undefined)
  const running = useRef<AbortController>(undefined)

  const show = useCallback((outcome: LabOutcome) => {
    if (outcome.kind === 'measured') {
      if (shown.current) URL.revokeObjectURL(shown.current.objectUrl)
      shown.current = outcome
      setRecent((before) => [
        ...before.slice(1 - RECENT_LIMIT),
        { id: (before.at(-1)?.id ?? 0) + 1, ms: outcome.ms, verdict: outcome.verdict },
      ])
    }
    setState(outcome)
  }, [])

  const measure = useCallback(
    async (times: number) => {
      running.current?.abort()
      const controller = new AbortController()
      running.current = controller
      const { signal } = controller
      setState({ kind: 'measuring', last: shown.current })
      try {
        for (let count = 0; count < times; count++) {
          const outcome = await measureVariant(variant, accept, signal)
          if (signal.aborted) return
          show(outcome)
          if (outcome.kind === 'refused') return
        }
      } catch {
        // Either another measurement replaced this one, or the network failed, which the bench reports.
        if (!signal.aborted) setState({ kind: 'failed' })
      }
    },
    [variant, accept, show],
  )

  useEffect(() => {
    void measure(1)
    return () => running.current?.abort()
  }, [measure])

  useEffect(() => {
    const controller = new AbortController()
    setOriginalBytes(undefined)
    measureOriginal(original, controller.signal).then(setOriginalBytes, () => {})
    return () => controller.abort()
  }, [original])

  useEffect(
    () => () => {
      if (shown.current) URL.revokeObjectURL(shown.current.objectUrl)
    },
    [],
  )

  return { state, recent, originalBytes, again: measure }
}
