// Renders the pages of a finished build, whose folder is the first argument, as a process of the build (X9). It has no
// port: it renders as the renderer does, without clients, state store and keys. The second argument, if any, is the time for
// each page in milliseconds, in the place of the renderer's limits.

import { mkdir, readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { createDataCache } from '@portico/shared/kit/cache/data-cache.ts'
import { type AppBuild, enterAppFolder, loadServerBundle } from '@portico/shared/kit/config/app-build.ts'
import { readConfig, readFolders } from '@portico/shared/kit/config/config.ts'
import { readPolicies } from '@portico/shared/kit/config/policies.ts'
import { provideEnv, withCodeEnv } from '@portico/shared/kit/config/site-environment.ts'
import { createFeed } from '@portico/shared/kit/feed/feed.ts'
import { createAfterTasks } from '@portico/shared/kit/life/after/after-tasks.ts'
import { createLog } from '@portico/shared/kit/observe/log.ts'
import { surviveStrayErrors } from '@portico/shared/kit/observe/stray-errors.ts'
import { parseManifest } from '@portico/shared/wire/build-output.ts'
import { readSiteValues } from '@portico/shared/wire/environment/site-values.ts'
import { PRERENDERED_FOLDER, type PrerenderMessage } from '@portico/shared/wire/prerender/prerender-messages.ts'
import { createMemoryPageCache } from '../cache/cache.ts'
import type { RenderDeps } from '../context/context.ts'
import { prerenderedFolder } from '../prerendered/prerendered.ts'
import { prerenderPages } from './prerender-pages.ts'
import { createValuesOfStart, type ValuesOfStart } from './values-of-start.ts'

/** Bytes of data that `cached` of portico/server keeps. */
const DATA_CACHE_LIMIT_BYTES = 32 * 1024 * 1024

/** The last message arrives before the process exits. */
const send = (message: PrerenderMessage) =>
  new Promise<void>((done) => void process.send?.(message, undefined, undefined, () => done()))

// The build was ended.
process.on('disconnect', () => process.exit(1))
// Not awaited: modules of the site may never finish loading, which the build notices.
void prerender()
  .catch((error: unknown) => send({ kind: 'failed', reason: error instanceof Error ? error.message : String(error) }))
  // Code of the site may keep the process alive.
  .finally(() => process.exit())

async function prerender(): Promise<void> {
  const dir = process.argv[2]!
  enterAppFolder(readConfig(process.env, readFolders))
  const build: AppBuild = {
    dir,
    manifest: parseManifest(JSON.parse(await readFile(join(dir, 'manifest.json'), 'utf8'))),
  }
  const missing: string[] = []
  const publicValues = readSiteValues(build.manifest.publicEnv, process.env, (name) => missing.push(name))
  const isWhole = missing.length === 0
  // A page that reads the value is not kept.
  for (const name of missing.splice(0)) publicValues[name] = null
  const secrets = readSiteValues(build.manifest.env, process.env, (name) => missing.push(name))
  const values = createValuesOfStart(publicValues)
  provideEnv(values.env(secrets, missing))
  const folder = join(dir, PRERENDERED_FOLDER, 'new')
  await mkdir(folder, { recursive: true })
  // The environment of the build: each variable of the manifest has its value there.
  const { values: shown, hash } = withCodeEnv(publicValues, build.manifest, process.env)
  const publicEnv = { values: shown, hash: isWhole ? hash : '' }
  const limitMs = process.argv[3] === undefined ? undefined : Number(process.argv[3])
  const limits = limitMs === undefined ? {} : { dataTimeoutMs: limitMs, renderTimeoutMs: limitMs }
  const deps = { ...(await createDeps(build, publicEnv, values)), ...limits }
  // The renderer makes the template of documents at its start, for all pages.
  deps.bundle.prepare(publicEnv.values)
  const end = await prerenderPages({ deps, values, folder, send: (message) => void send(message) })
  await rename(folder, prerenderedFolder(dir, end.hash))
  await send({ kind: 'end', ...end })
}

async function createDeps(
  build: AppBuild,
  publicEnv: RenderDeps['publicEnv'],
  values: ValuesOfStart,
): Promise<RenderDeps> {
  const { manifest } = build
  // pino calls it within the run that logs.
  const log = createLog('build', 'warn', {
    write(line) {
      const { error, msg } = JSON.parse(line) as { error?: { message?: string }; msg: string }
      if (!values.fault(error?.message ?? msg)) process.stderr.write(`${error ? `${msg}: ${error.message}` : msg}\n`)
    },
  })
  surviveStrayErrors(log)
  const feed = createFeed({ log })
  const dataCache = createDataCache({ feed, limitBytes: DATA_CACHE_LIMIT_BYTES })
  const unavailable = () => {
    throw new Error('the site does not run during the build')
  }
  return {
    after: createAfterTasks(log),
    manifest,
    bundle: await loadServerBundle(build),
    // Nothing is looked up.
    cache: createMemoryPageCache({ limitBytes: 1, feed }),
    feed,
    dataCache: (view) => values.dataCache(dataCache(view)),
    publicEnv,
    policies: readPolicies(manifest.csp, publicEnv.values),
    signBound: unavailable,
    fetchSite: unavailable,
    observed: values.context,
    log,
    now: () => performance.now(),
  }
}
