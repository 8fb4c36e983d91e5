// Actions and API handlers under development: modules of the app folder, run here, read through the renderer. Before a
// request is answered, what was edited since the last one is loaded anew; what was not keeps its state.

import { type EvaluatedModules, ModuleRunner } from 'vite/module-runner'
import type { Environment } from '../shared/node/config.ts'
import { followDevBuild } from '../shared/node/dev-manifest.ts'
import type { Log } from '../shared/node/log.ts'
import { readPublicEnv } from '../shared/node/public-env.ts'
import { probeReady } from '../shared/node/replica-probe.ts'
import { shareReact } from '../shared/node/share-react.ts'
import { watchErrors } from '../shared/node/watch-errors.ts'
import type { ActionsBundle } from '../shared/wire/bundles.ts'
import {
  DEV_INNER_PATHS,
  type DevChangesRequest,
  type DevChangesResponse,
  type ThrownError,
  thrownError,
} from '../shared/wire/dev-inner.ts'
import { loadSite, type Site } from './site.ts'

export interface DevSite {
  /** The site as of the last refresh. */
  site: () => Site
  /** Takes up what changed. Never rejects: a folder that cannot be loaded answers with what it was, and says so. */
  refresh: () => Promise<void>
  /** Errors written to it are shown in the browser. */
  log: Log
}

export interface DevSiteDeps {
  appDir: string
  /** Where the site's public values are read from. */
  environment: Environment
  rendererInnerUrl: URL
  token: string
  log: Log
}

/** The renderer may still be starting. */
const FIRST_ATTEMPTS = 1200
const FIRST_PAUSE_MS = 50
const PROBE_TIMEOUT_MS = 2000
/** Modules are made on demand; packages of a first start take their time. */
const CALL_TIMEOUT_MS = 30_000
const VIRTUAL = '\0virtual:portico/actions'

/** Waits for the first manifest only: modules are loaded behind the start. */
export async function createDevSite({
  appDir,
  environment,
  rendererInnerUrl,
  token,
  log,
}: DevSiteDeps): Promise<DevSite> {
  const ask = createAsker(rendererInnerUrl, token)
  const runner = new ModuleRunner({
    transport: { invoke: (payload) => ask(DEV_INNER_PATHS.modules, payload) as Promise<{ result: unknown }> },
    sourcemapInterceptor: 'prepareStackTrace',
    hmr: false,
  })
  const report = (thrown: ThrownError) => {
    ask(DEV_INNER_PATHS.error, thrown).catch((error: unknown) => log.warn({ error }, 'an error could not be shown'))
  }
  const { manifest } = (await followDevBuild(appDir))()
  let version = -1
  let isSharing = false
  let site = await loadSite(manifest, emptyBundle())
  let running: Promise<void> = Promise.resolve()

  const takeUp = async () => {
    const request: DevChangesRequest = { since: version }
    const answer = (await ask(DEV_INNER_PATHS.changes, request)) as DevChangesResponse
    if (answer.version === version) return
    const isOther = answer.manifest.buildId !== site.buildId
    if (answer.files) forget(runner.evaluatedModules, answer.files, isOther)
    else runner.clearCache()
    version = answer.version
    if (!isSharing) shareReact(answer.entry)
    isSharing = true
    const { bundle } = (await runner.import(answer.entry)) as { bundle: ActionsBundle }
    const { values } = readPublicEnv(answer.manifest.publicEnv, environment)
    site = await loadSite(answer.manifest, bundle, values)
  }

  const devSite: DevSite = {
    site: () => site,
    refresh() {
      running = running.then(takeUp).catch((error: unknown) => {
        const cause = (error as { cause?: unknown }).cause ?? error
        log.error({ error: cause }, 'the actions of the app folder cannot be loaded')
        report(thrownError('build', cause))
        // Tried again at the next request.
        version = -1
      })
      return running
    },
    log: watchErrors(log, (error, fields) =>
      report(thrownError('action' in fields ? 'action' : 'api', error, fields.digest)),
    ),
  }
  // The first request waits for it, as it does after every change.
  running = waitForRenderer(rendererInnerUrl)
  void devSite.refresh()
  return devSite
}

/** Modules of the files and everything that imports them; with `isOther` what the build wrote, too. */
function forget(modules: EvaluatedModules, files: readonly string[], isOther: boolean): void {
  const changed = files.flatMap((file) => [...(modules.getModulesByFile(file) ?? [])].map(({ id }) => id))
  const queue = isOther ? [...changed, VIRTUAL] : changed
  const seen = new Set<string>()
  for (let id = queue.pop(); id !== undefined; id = queue.pop()) {
    const node = seen.has(id) ? undefined : modules.getModuleById(id)
    seen.add(id)
    if (!node) continue
    queue.push(...node.importers)
    modules.invalidateModule(node)
  }
}

type Ask = (path: string, body: unknown) => Promise<unknown>

function createAsker(rendererInnerUrl: URL, token: string): Ask {
  return async (path, body) => {
    const response = await fetch(new URL(path, rendererInnerUrl), {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(CALL_TIMEOUT_MS),
    })
    if (!response.ok) throw new Error(`the renderer answers ${response.status} to ${path}`)
    return response.json()
  }
}

/** Ends also when it does not come: what is asked of it then says so. */
async function waitForRenderer({ hostname, port }: URL): Promise<void> {
  for (let attempt = 1; attempt <= FIRST_ATTEMPTS; attempt++) {
    if ((await probeReady(hostname, Number(port), PROBE_TIMEOUT_MS)) === 'ready') return
    await new Promise((done) => setTimeout(done, FIRST_PAUSE_MS))
  }
}

function emptyBundle(): ActionsBundle {
  return { actions: {}, apiRoutes: {}, runWithContext: (_context, run) => run() }
}
