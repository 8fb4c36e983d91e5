// The behaviours of middleware in a suite: that of paths without a slash at the end, or that of paths with one.

import type { Behaviour, BrowserSite, HttpSite } from '../../harness/behaviour.ts'
import type { ConfigurationName } from '../../harness/configurations.ts'

export const AT = '/middleware-general'

/** The address of a path below that of the suite, as the site serves it. */
export type At = (path: string) => string

type RunAt<Site> = (site: Site, at: At) => Promise<void>

export interface PlacedBehaviour<Site> {
  /** Number in the suite `middleware-general`. */
  number: number
  does: string
  run: RunAt<Site>
  differs?: { reason: string; run: RunAt<Site> }
  configuration?: ConfigurationName
}

export interface SuitePlace {
  suite: string
  configuration: ConfigurationName
  end: '' | '/'
  /** The numbers in the suite by those of `middleware-general`; without the list they are the same. */
  numbers?: Readonly<Record<number, number>>
}

export function overHttp(list: readonly PlacedBehaviour<HttpSite>[], place: SuitePlace): Behaviour[] {
  return placed(list, place).map((behaviour) => ({ ...behaviour, via: 'http' }))
}

export function inBrowser(list: readonly PlacedBehaviour<BrowserSite>[], place: SuitePlace): Behaviour[] {
  return placed(list, place).map((behaviour) => ({ ...behaviour, via: 'browser' }))
}

function placed<Site>(list: readonly PlacedBehaviour<Site>[], { suite, configuration, end, numbers }: SuitePlace) {
  const at: At = (path) => {
    const [pathname = '', ...search] = path.split('?')
    return [AT + pathname + end, ...search].join('?')
  }
  const chosen = numbers ? list.filter(({ number }) => numbers[number] !== undefined) : list
  return chosen.map(({ number, run, differs, ...more }) => ({
    configuration,
    ...more,
    id: `${suite}-${numbers?.[number] ?? number}`,
    run: (site: Site) => run(site, at),
    ...(differs && { differs: { reason: differs.reason, run: (site: Site) => differs.run(site, at) } }),
  }))
}
