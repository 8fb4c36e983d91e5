// Actions and API handlers under development: this process runs modules of the app folder, which the renderer
// transforms. Each request first reloads the modules that were edited since the last request; other modules keep their
// state. open.ts loads this part only in development mode. What a site is, is left to site/.

import vm from 'node:vm'
import { plainHost } from '@portico/shared/kit/addresses/plain-host.ts'
import { ConfigError, type Environment } from '@portico/shared/kit/config/config.ts'
import { followDevBuild } from '@portico/shared/kit/config/dev-manifest.ts'
import { portOf } from '@portico/shared/kit/config/service-addresses.ts'
import { provideEnv, readSiteEnvironment } from '@portico/shared/kit/config/site-environment.ts'
import type { ModuleFault } from '@portico/shared/kit/http/errors.ts'
import { createInnerClient } from '@portico/shared/kit/inner/inner-client.ts'
import { probeReady } from '@portico/shared/kit/life/replica-probe.ts'
import { createSiteModules } from '@portico/shared/kit/life/site-modules.ts'
import type { Log } from '@portico/shared/kit/observe/log.ts'
import { sayCompiling } from '@portico/shared/kit/observe/say-compiling.ts'
import { type ReportRequestError, startInstrumentation } from '@portico/shared/kit/observe/site/instrumentation.ts'
import { watchErrors } from '@portico/shared/kit/observe/watch-errors.ts'
import type { ActionsBundle } from '@portico/shared/wire/bundles.ts'
import {
  DEV_INNER_PATHS,
  type DevChangesRequest,
  type DevChangesResponse,
  type ThrownError,
  thrownError,
} from '@portico/shared/wire/dev/dev-inner.ts'
import { createSiteEvaluator } from '@portico/shared/wire/dev/site-evaluator.ts'
import { type EvaluatedModules, ModuleRunner } from 'vite/module-runner'
import { loadSite } from '../site/site.ts'

interface DevSiteDeps {
  appDir: string
  /** Source of the site's public values and secrets. */
  environment: Environment
  rendererInnerUrl: URL
  token: () => string
  log: Log
}

/** The renderer may still be starting. */
const FIRST_ATTEMPTS = 1200
const FIRST_PAUSE_MS = 50
const PROBE_TIMEOUT_MS = 2000
/** Vite transforms modules on demand: as long as the gateway waits (V4). */
const CALL_TIMEOUT_MS = 300_000
/** More than a transformed package with its map. */
const RESPONSE_LIMIT_BYTES = 256 * 1024 * 1024
const VIRTUAL = '\0virtual:portico/actions'

/** Waits for the first manifest only; modules are loaded after the start. */
export async function createDevSite({ appDir, environment, rendererInnerUrl, token, log }: DevSiteDeps) {
  const call = createRendererCall(rendererInnerUrl, token)
  const runner = new ModuleRunner(
    {
      transport: { invoke: (payload) => call(DEV_INNER_PATHS.modules, payload) as Promise<{ result: unknown }> },
      sourcemapInterceptor: 'prepareStackTrace',
      hmr: false,
    },
    createSiteEvaluator(vm),
  )
  const report = (thrown: ThrownError) => {
    call(DEV_INNER_PATHS.error, thrown).catch((error: unknown) => log.warn({ error }, 'error not shown in the browser'))
  }
  const reportFault = (cause: unknown) =>
    report({ ...thrownError(cause instanceof ConfigError ? 'config' : 'build', cause), version: loading })
  const { manifest } = (await followDevBuild(appDir))()
  let version = -1
  /** The version that is being loaded, or was loaded last. */
  let loading = -1
  /** Once for a process: what `register` has set up remains. */
  let registered: { onRequestError: ReportRequestError | undefined } | undefined
  let site = await loadSite(manifest, emptyBundle())
  let running: Promise<void> = Promise.resolve()

  const applyChanges = async () => {
    const request: DevChangesRequest = { since: version }
    const changes = (await call(DEV_INNER_PATHS.changes, request)) as DevChangesResponse
    if (changes.version === version) return
    loading = changes.version
    const isOtherBuild = changes.manifest.buildId !== site.buildId
    if (changes.files) invalidate(runner.evaluatedModules, changes.files, isOtherBuild)
    else runner.clearCache()
    version = changes.version
    const { publicEnv, env } = readSiteEnvironment(changes.manifest, environment)
    provideEnv(env)
    const load = async () => {
      const { bundle } = (await runner.import(changes.entry)) as { bundle: ActionsBundle }
      registered ??= { onRequestError: await startInstrumentation(bundle.instrumentation, log) }
      // Shown to those who request the module: a page that does not is whole.
      const isHandler = (file: string) => changes.manifest.apiRoutes.some((route) => route.file === file)
      const onRequest = ({ file, cause }: ModuleFault) => {
        const source = isHandler(file) ? 'api' : 'action'
        report({ ...thrownError(source, cause), source, version: changes.version })
      }
      const modules = createSiteModules({ log, limitMs: CALL_TIMEOUT_MS, onRequest })
      site = { ...(await loadSite(changes.manifest, bundle, publicEnv.values, modules)), ...registered }
      // The next request loads everything again.
      if (modules.faults().length > 0) version = -1
    }
    await sayCompiling('actions and API handlers', load, (line) => log.info(line))
  }

  const devSite = {
    /** The site as of the last refresh. */
    site: () => site,
    /** Loads changes. Never rejects: a folder that cannot be loaded is reported, and the last site remains in use. */
    refresh(): Promise<void> {
      running = running.then(applyChanges).catch((error: unknown) => {
        const cause = (error as { cause?: unknown }).cause ?? error
        log.error({ error: cause }, 'the actions of the app folder cannot be loaded')
        reportFault(cause)
        site = { ...site, fault: cause instanceof Error ? cause : new Error(String(cause)) }
        // The next request loads everything again.
        version = -1
      })
      return running
    },
    /** The browser shows the errors of this log. */
    log: watchErrors(log, (error, fields) =>
      report({ ...thrownError(fields.action === undefined ? 'api' : 'action', error, fields.digest), version }),
    ),
  }
  // The first request waits for the first load, as after every change.
  running = waitForRenderer(rendererInnerUrl)
  void devSite.refresh()
  return devSite
}

/** Invalidates the modules of the files and all their importers; with `isOtherBuild` also the generated module. */
function invalidate(modules: EvaluatedModules, files: readonly string[], isOtherBuild: boolean): void {
  const changed = files.flatMap((file) => [...(modules.getModulesByFile(file) ?? [])].map(({ id }) => id))
  const queue = isOtherBuild ? [...changed, VIRTUAL] : changed
  const seen = new Set<string>()
  for (let id = queue.pop(); id !== undefined; id = queue.pop()) {
    const node = seen.has(id) ? undefined : modules.getModuleById(id)
    seen.add(id)
    if (!node) continue
    queue.push(...node.importers)
    modules.invalidateModule(node)
  }
}

type RendererCall = (path: string, body: unknown) => Promise<unknown>

function createRendererCall(rendererInnerUrl: URL, token: () => string): RendererCall {
  const client = createInnerClient({ token, timeoutMs: CALL_TIMEOUT_MS, limitBytes: RESPONSE_LIMIT_BYTES })
  const place = { address: plainHost(rendererInnerUrl.hostname), innerPort: portOf(rendererInnerUrl) }
  return async (path, body) => {
    const result = await client.send(place, { path, json: JSON.stringify(body), isRepeatable: true })
    if (result.kind === 'bytes') return JSON.parse(result.bytes.toString())
    throw new Error(`the renderer has not responded to ${path}: ${result.error.message}`, { cause: result.error })
  }
}

/** Also resolves when the renderer does not become ready: the next call to the renderer then reports the fault. */
async function waitForRenderer({ hostname, port }: URL): Promise<void> {
  for (let attempt = 1; attempt <= FIRST_ATTEMPTS; attempt++) {
    if ((await probeReady(hostname, Number(port), PROBE_TIMEOUT_MS)).result === 'ready') return
    await new Promise((done) => setTimeout(done, FIRST_PAUSE_MS))
  }
}

function emptyBundle(): ActionsBundle {
  return { actions: {}, apiRoutes: {}, runWithContext: (_context, run) => run() }
}
