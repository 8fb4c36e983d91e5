// Makes one test of each behaviour: a site for each configuration, started when its first test runs.

import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, test } from 'vitest'
import type { Behaviour, HttpSite, StartedSite } from './behaviour.ts'
import { CONFIGURATIONS, type ConfigurationName } from './configurations.ts'
import { createHttpSite, openBrowserSite } from './site.ts'
import { numbersOf, type Suite } from './suite.ts'

export interface SuiteRun {
  suites: readonly Suite[]
  on: 'portico' | 'next'
  via: Behaviour['via']
  start: (configuration: ConfigurationName) => Promise<StartedSite>
  /** For behaviours of the browser. */
  connect?: () => Promise<Browser>
}

/** How long a step in the browser may take; one that is expected to fail waits a shorter time. */
const STEP_MS = 15_000
const FAILING_STEP_MS = 4_000
const NAMES = Object.keys(CONFIGURATIONS) as ConfigurationName[]

export function runSuites({ suites, on, via, start, connect }: SuiteRun): void {
  const all = suites.flatMap((suite) =>
    suite.behaviours.map((behaviour) => ({ behaviour, fails: on === 'portico' && isFailing(suite, behaviour) })),
  )
  for (const name of NAMES) {
    const chosen = all.filter(({ behaviour }) => behaviour.via === via && (behaviour.configuration ?? 'main') === name)
    if (chosen.length === 0) continue
    describe(name, () => {
      let started: StartedSite | undefined
      let browser: Browser | undefined
      let site: Promise<HttpSite>
      beforeAll(async () => {
        // A site that does not start fails each of its tests, which may be what the table expects.
        site = start(name).then((running) => {
          started = running
          return createHttpSite(running, CONFIGURATIONS[name].basePath)
        })
        await site.catch(() => {})
        browser = await connect?.()
      })
      afterAll(async () => {
        await browser?.close()
        await started?.stop()
      })
      for (const { behaviour, fails } of chosen) {
        // Vitest fails a test that is expected to fail and passes.
        const options = fails ? { fails, retry: 0 } : {}
        test(`${behaviour.id} ${behaviour.does}`, options, async () => {
          await runOne(behaviour, await site, { on, browser, timeout: fails ? FAILING_STEP_MS : STEP_MS })
        })
      }
    })
  }
}

interface Place {
  on: SuiteRun['on']
  browser: Browser | undefined
  timeout: number
}

async function runOne(behaviour: Behaviour, site: HttpSite, { on, browser, timeout }: Place): Promise<void> {
  if (behaviour.via === 'http') return expectation(behaviour, on)(site)
  if (!browser) throw new Error('this run has no browser')
  const opened = await openBrowserSite(site, browser, timeout)
  try {
    await expectation(behaviour, on)(opened.site)
  } finally {
    await opened.close()
  }
}

/** What is expected here: of Portico its own way, where it differs on purpose. */
function expectation<Run>({ run, differs }: { run: Run; differs?: { run: Run } }, on: SuiteRun['on']): Run {
  return on === 'portico' && differs ? differs.run : run
}

function isFailing({ rows }: Suite, behaviour: Behaviour): boolean {
  return numbersOf(behaviour).some((number) => rows[number]?.status === 'fails')
}
