// Actions and API handlers under development: this process runs modules of the app folder, which the renderer
// transforms. Each request first reloads the modules that the development feed has named since the last request; other
// modules keep their state. open.ts loads this part only in development mode. What a site is, is left to site/.

import vm from 'node:vm'
import { ConfigError, type Environment } from '@portico/shared/kit/config/config.ts'
import { provideEnv, readSiteEnvironment } from '@portico/shared/kit/config/site-environment.ts'
import { type FollowedFolder, followDevBuild } from '@portico/shared/kit/feed/dev-build.ts'
import type { ModuleFault } from '@portico/shared/kit/http/errors.ts'
import { createInnerClient, type InnerPlace } from '@portico/shared/kit/inner/inner-client.ts'
import { createSiteModules } from '@portico/shared/kit/life/site-modules.ts'
import type { Log } from '@portico/shared/kit/observe/log.ts'
import { sayCompiling } from '@portico/shared/kit/observe/say-compiling.ts'
import { type ReportRequestError, startInstrumentation } from '@portico/shared/kit/observe/site/instrumentation.ts'
import { watchErrors } from '@portico/shared/kit/observe/watch-errors.ts'
import type { ActionsBundle } from '@portico/shared/wire/bundles.ts'
import { DEV_INNER_PATHS, type DevUpdate, type ThrownError, thrownError } from '@portico/shared/wire/dev/dev-inner.ts'
import { createSiteEvaluator } from '@portico/shared/wire/dev/site-evaluator.ts'
import { type EvaluatedModules, ModuleRunner } from 'vite/module-runner'
import { loadSite } from '../site/site.ts'

interface DevSiteDeps extends FollowedFolder {
  /** Source of the site's public values and secrets. */
  environment: Environment
  log: Log
}

/** Vite transforms modules on demand: as long as the gateway waits (V4). */
const CALL_TIMEOUT_MS = 300_000
/** More than a transformed package with its map. */
const RESPONSE_LIMIT_BYTES = 256 * 1024 * 1024
const VIRTUAL = '\0virtual:portico/actions'

/** Waits for the first state of the folder only; modules are loaded after the start. */
export async function createDevSite({ environment, log, ...folder }: DevSiteDeps) {
  let latest: DevUpdate | undefined
  /** What changed since the last load: absolute paths, or everything. */
  let unloaded: string[] | 'everything' | undefined
  const follower = await followDevBuild({ ...folder, name: 'actions', log }, (update) => {
    latest = update
    unloaded = unloaded === 'everything' || !update.files ? 'everything' : [...(unloaded ?? []), ...update.files]
  })
  const call = createRendererCall(follower.renderer, folder)
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
  /** The version that is being loaded, or was loaded last. */
  let loading = -1
  /** Once for a process: what `register` has set up remains. */
  let registered: { onRequestError: ReportRequestError | undefined } | undefined
  let site = await loadSite(follower.current().manifest, emptyBundle())
  let running: Promise<void> = Promise.resolve()

  const applyChanges = async () => {
    const changed = unloaded
    const update = latest!
    if (!changed) return
    unloaded = undefined
    loading = update.version
    const isOtherBuild = update.manifest.buildId !== site.buildId
    if (changed === 'everything') runner.clearCache()
    else invalidate(runner.evaluatedModules, changed, isOtherBuild)
    const { publicEnv, env } = readSiteEnvironment(update.manifest, environment)
    provideEnv(env)
    const load = async () => {
      const { bundle } = (await runner.import(update.entry)) as { bundle: ActionsBundle }
      registered ??= { onRequestError: await startInstrumentation(bundle.instrumentation, log) }
      // Shown to those who request the module: a page that does not is whole.
      const isHandler = (file: string) => update.manifest.apiRoutes.some((route) => route.file === file)
      const onRequest = ({ file, cause }: ModuleFault) => {
        const source = isHandler(file) ? 'api' : 'action'
        report({ ...thrownError(source, cause), source, version: update.version })
      }
      const modules = createSiteModules({ log, limitMs: CALL_TIMEOUT_MS, onRequest })
      site = { ...(await loadSite(update.manifest, bundle, publicEnv.values, modules)), ...registered }
      // The next request loads everything again.
      if (modules.faults().length > 0) unloaded = 'everything'
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
        unloaded = 'everything'
      })
      return running
    },
    /** The browser shows the errors of this log. */
    log: watchErrors(log, (error, fields) =>
      report({
        ...thrownError(fields.action === undefined ? 'api' : 'action', error, fields.digest),
        version: loading,
      }),
    ),
  }
  // The first request waits for the first load, as after every change.
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

function createRendererCall(renderer: InnerPlace, { stackToken }: FollowedFolder): RendererCall {
  const limits = { timeoutMs: CALL_TIMEOUT_MS, limitBytes: RESPONSE_LIMIT_BYTES }
  const client = createInnerClient({ token: () => stackToken, ...limits })
  return async (path, body) => {
    const result = await client.send(renderer, { path, json: JSON.stringify(body), isRepeatable: true })
    if (result.kind === 'bytes') return JSON.parse(result.bytes.toString())
    throw new Error(`the renderer has not responded to ${path}: ${result.error.message}`, { cause: result.error })
  }
}

function emptyBundle(): ActionsBundle {
  return { actions: {}, apiRoutes: {}, runWithContext: (_context, run) => run() }
}
