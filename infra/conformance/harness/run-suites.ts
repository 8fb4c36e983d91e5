// Makes one test of each behaviour: a site for each configuration, started when its first test runs.

import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { openPage, type WatchedPage } from '../../e2e/harness/chromium.ts'
import type { Behaviour, HttpSite, SiteBehaviour, StartedSite } from './behaviour.ts'
import { CONFIGURATIONS, type ConfigurationName } from './configurations.ts'
import { createHttpSite, openBrowserSite } from './site.ts'
import { numbersOf, type Suite } from './suite.ts'

export interface SuiteRun {
  suites: readonly Suite[]
  on: 'portico' | 'next'
  /** All of them without this list. */
  configurations?: readonly ConfigurationName[]
  start: (configuration: ConfigurationName) => Promise<StartedSite>
  /** Without it, behaviours of the browser are skipped. */
  connect?: () => Promise<Browser>
}

/** How long a step in the browser may take on a busy machine; one that is expected to fail waits a shorter time. */
const STEP_MS = 45_000
const FAILING_STEP_MS = 600
const NAMES = Object.keys(CONFIGURATIONS) as ConfigurationName[]
/** Behaviours over HTTP come first: those of the browser then find pages that are made on request. */
const VIAS = ['http', 'browser'] as const

export function runSuites({ suites, on, configurations = NAMES, start, connect }: SuiteRun): void {
  const all = suites.flatMap((suite) =>
    suite.behaviours
      .filter((behaviour) => behaviour.via !== 'build')
      .map((behaviour) => ({ behaviour, fails: on === 'portico' && isFailing(suite, behaviour) })),
  )
  let browser: Promise<Browser> | undefined
  afterAll(async () => (await browser)?.close())
  for (const name of configurations) {
    const ofName = all.filter(({ behaviour }) => (behaviour.configuration ?? 'main') === name)
    const chosen = VIAS.flatMap((via) => ofName.filter(({ behaviour }) => behaviour.via === via))
    if (chosen.length === 0) continue
    describe(name, () => {
      let started: StartedSite | undefined
      let site: Promise<HttpSite>
      /** Pages of behaviours that have passed and leave nothing in them. */
      const idle: WatchedPage[] = []
      beforeAll(async () => {
        // A site that does not start fails each of its tests, which may be what the table expects.
        site = start(name).then((running) => {
          started = running
          return createHttpSite(running, CONFIGURATIONS[name].basePath)
        })
        await site.catch(() => {})
      })
      afterAll(async () => {
        await Promise.all(idle.map((watched) => watched.close()))
        await started?.stop()
      })
      for (const { behaviour, fails } of chosen) {
        // Vitest fails a test that is expected to fail and passes.
        const options = fails ? { fails, retry: 0 } : {}
        const isSkipped = behaviour.via === 'browser' && !connect
        test.skipIf(isSkipped)(`${behaviour.id} ${behaviour.does}`, options, async () => {
          const timeout = fails ? FAILING_STEP_MS : STEP_MS
          await runOne(behaviour, await site, { on, takeBrowser: () => (browser ??= connect?.()), timeout, idle })
        })
      }
    })
  }
}

interface Place {
  on: SuiteRun['on']
  takeBrowser: () => Promise<Browser> | undefined
  timeout: number
  /** Pages to use again: a new one takes three times as long as the behaviour. */
  idle: WatchedPage[]
}

async function runOne(behaviour: SiteBehaviour, site: HttpSite, place: Place): Promise<void> {
  const { on, takeBrowser, timeout, idle } = place
  if (behaviour.via === 'http') return expectation(behaviour, on)(site)
  const used = await takeIdle(site, place)
  const watched = used?.watched ?? (await openPageOf(takeBrowser))
  let isClean = false
  try {
    await expectation(behaviour, on)(used?.opened ?? (await openBrowserSite(site, watched, timeout)))
    isClean = true
  } finally {
    if (isClean) idle.push(watched)
    else await watched.close()
  }
}

async function openPageOf(takeBrowser: Place['takeBrowser']): Promise<WatchedPage> {
  const browser = await takeBrowser()
  if (!browser) throw new Error('this run has no browser')
  return openPage(browser)
}

/** A page that a behaviour has left, unless it cannot be emptied. */
async function takeIdle(site: HttpSite, { idle, timeout }: Place) {
  const watched = idle.pop()
  const opened = watched && (await openBrowserSite(site, watched, timeout).catch(() => undefined))
  if (opened) return { watched, opened }
  await watched?.close()
  return undefined
}

/** What is expected here: of Portico its own way, where it differs on purpose. */
function expectation<Run>({ run, differs }: { run: Run; differs?: { run: Run } }, on: SuiteRun['on']): Run {
  return on === 'portico' && differs ? differs.run : run
}

/** Whether the table says that Portico does not meet a behaviour. */
export function isFailing({ rows }: Suite, behaviour: Behaviour): boolean {
  return numbersOf(behaviour).some((number) => rows[number]?.status === 'fails')
}
