// Behaviours of a suite by the numbers of its tests.

import type { BrowserBehaviour, BrowserSite, HttpBehaviour, HttpSite, Run } from './behaviour.ts'
import type { ConfigurationName } from './configurations.ts'

interface More {
  also?: readonly number[]
  configuration?: ConfigurationName
}

export function behavioursOf(suite: string) {
  const idOf = (number: number) => `${suite}-${number}`
  return {
    overHttp: (number: number, does: string, run: Run<HttpSite>, more: More = {}): HttpBehaviour => {
      return { id: idOf(number), does, via: 'http', run, ...more }
    },
    inBrowser: (number: number, does: string, run: Run<BrowserSite>, more: More = {}): BrowserBehaviour => {
      return { id: idOf(number), does, via: 'browser', run, ...more }
    },
  }
}
