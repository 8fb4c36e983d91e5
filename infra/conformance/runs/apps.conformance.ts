// Apps for Next.js that others wrote run unmodified on Portico and on real Next.js beside it, and what both send and show
// is compared: every fixed route, links, forms, images and faults. A difference that is not in apps.json fails, and so does
// one of that file that is gone.

import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { freePort } from '@portico/shared/kit/life/free-port.ts'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { launchChromium } from '../../e2e/harness/chromium.ts'
import { startEmbedded } from '../../e2e/harness/embedded-stack.ts'
import { cloneOf, type ForeignApp, readApps } from '../apps/apps.ts'
import { measureFirstLoad } from '../apps/first-load.ts'
import { type IdentityProvider, startIdentityProvider } from '../apps/identity-provider.ts'
import { compareObservations, explain } from '../apps/observations.ts'
import { observeBrowser } from '../apps/observe-browser.ts'
import { fixedRoutes, observeHttp, type Routes } from '../apps/observe-http.ts'
import { observeSteps } from '../apps/observe-steps.ts'
import { type PreparedApp, prepareApp } from '../apps/prepare-app.ts'
import { type AppResult, writeResult, writeSummary } from '../apps/results.ts'
import { installedNext, startNextIn } from '../harness/real-next.ts'
import { isChosen } from './chosen.ts'

const { apps, everywhere } = readApps()
const chosen = apps.filter(({ name }) => isChosen(name))
const MOCKED_FONTS = { NEXT_FONT_GOOGLE_MOCKED_RESPONSES: join(import.meta.dirname, '../apps/mocked-fonts.cjs') }

let browser: Browser
const installed = installedNext()
const results: AppResult[] = []

beforeAll(async () => {
  browser = await launchChromium()
})

afterAll(async () => {
  await browser?.close()
  if (results.length > 0) console.log(await writeSummary(results))
})

it.for(chosen)('$name does on Portico what it does on Next.js', async (app, context) => {
  const leftOut = reasonToLeaveOut(app)
  if (leftOut) {
    results.push({ name: app.name, compared: 0, differences: [], leftOut })
    context.skip(leftOut)
  }
  const folders = await prepareApp(app, installed)
  const { result, gone } = await (app.refused ? expectRefusal(app, folders) : compareApp(app, folders))
  results.push(result)
  await writeResult(result)
  expect(result.differences.filter(({ reason }) => reason === undefined)).toEqual([])
  expect(gone, 'differences that are known but gone').toEqual([])
})

// Some apps alone need not have each of them.
it.runIf(chosen.length === apps.length)('each difference of all apps is still in one of them', () => {
  const compared = results.filter((result) => result.compared > 0).flatMap(({ differences }) => differences)
  const { gone } = explain(compared, everywhere)
  expect(compared.length === 0 ? [] : gone).toEqual([])
})

async function compareApp(app: ForeignApp, folders: PreparedApp) {
  const routes = fixedRoutes(folders.portico)
  const needsProvider = Object.values(app.environment ?? {}).some((value) => value.includes('{provider}'))
  const provider = needsProvider ? await startIdentityProvider() : undefined
  try {
    const ofNext = await observeSite(app, routes, provider, ({ PORT = '', ...env }) =>
      startNextIn(installed, folders.next, { ...env, ...MOCKED_FONTS, PORT }),
    )
    const ofPortico = await observeSite(app, routes, provider, async (env) => {
      const { stop } = await startEmbedded({ appDir: folders.portico, env })
      return { origin: `http://localhost:${env.PORT}`, stop }
    })
    const found = compareObservations(ofNext.observations, ofPortico.observations)
    const known = app.differences ?? []
    const explained = explain(found, [...known, ...everywhere])
    const { differences } = explained
    const gone = explained.gone.filter((entry) => known.includes(entry))
    const compared = ofNext.observations.reduce((total, { facts }) => total + facts.size, 0)
    const firstLoad = ofNext.load && ofPortico.load && { next: ofNext.load, portico: ofPortico.load }
    return { result: { name: app.name, compared, differences, ...(firstLoad && { firstLoad }) }, gone }
  } finally {
    await provider?.stop()
  }
}

/** Next.js builds it, Portico names what it refuses. */
async function expectRefusal({ name, refused = '' }: ForeignApp, folders: PreparedApp) {
  const next = await startNextIn(installed, folders.next, MOCKED_FONTS)
  await next.stop()
  await expect(startEmbedded({ appDir: folders.portico })).rejects.toThrow(refused)
  return { result: { name, compared: 0, differences: [], refused }, gone: [] }
}

type Start = (environment: Record<string, string>) => Promise<{ origin: string; stop: () => Promise<unknown> }>

/** Starts the site at a port of its own, observes it and stops it. */
async function observeSite(app: ForeignApp, routes: Routes, provider: IdentityProvider | undefined, start: Start) {
  const PORT = String(await freePort())
  const values = { origin: `http://localhost:${PORT}`, port: PORT, provider: provider?.origin ?? '' }
  const environment = Object.entries(app.environment ?? {}).map(([name, value]) => [name, fill(value, values)])
  const { origin, stop } = await start({ ...Object.fromEntries(environment), PORT })
  try {
    const load = app.measured ? await measureFirstLoad(browser, origin) : undefined
    const observations = [
      await observeHttp(origin, routes),
      await observeBrowser(browser, { ...routes, origin, mostLinks: app.links }),
    ]
    const others = provider ? [provider.origin] : []
    if (app.steps) observations.push(await observeSteps(browser, app.steps, { origin, others }))
    return { load, observations }
  } finally {
    await stop()
  }
}

const fill = (text: string, values: Record<string, string>) =>
  text.replace(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole)

function reasonToLeaveOut(app: ForeignApp): string | undefined {
  const clone = cloneOf(app)
  if (!clone) return undefined
  if (!process.env.FOREIGN_APPS) return `FOREIGN_APPS is not set; it needs ${app.repository}`
  const { status } = spawnSync('git', ['-C', clone, 'cat-file', '-e', `${app.commit}^{commit}`])
  return status === 0 ? undefined : `FOREIGN_APPS has no ${app.repository} with the commit ${app.commit}`
}
