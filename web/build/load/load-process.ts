// Loads the modules of the build in the folder of the first argument and makes the template of its document, for
// load.ts. Its own process: modules of a site change globals, and may keep their process alive.

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { type Manifest, type PublicEnvRule, parseManifest } from '@portico/shared/wire/build-output.ts'
import { type ActionsBundle, ENV_VALUES, type ServerBundle } from '@portico/shared/wire/bundles.ts'
import type { SiteValues } from '@portico/shared/wire/environment/site-values.ts'
import { parseStackFrames } from '@portico/shared/wire/errors/stack-frames.ts'
import { readBuildValues } from '../build-values.ts'
import { FRAME, type LoadMessage } from './load-message.ts'

/** A module that takes longer is waited for behind the others. */
const PATIENCE_MS = 1000

const outDir = process.argv[2]!
/** Names without a value that the site has read since the last module began. */
const unset = new Set<string>()

/** Without the callback the process may exit before the message is sent. */
const send = (message: LoadMessage) =>
  new Promise<void>((done) => void process.send?.(message, undefined, undefined, () => done()))

// The services survive both, and log them.
process.on('unhandledRejection', () => {})
process.on('uncaughtException', () => {})
// The build was ended.
process.on('disconnect', () => process.exit(1))
process.channel?.unref()

/** Modules that were not loaded within PATIENCE_MS. */
const slow = new Map<string, Promise<void>>()

// Nothing is left that could load them: they would wait for ever.
process.on('beforeExit', async () => {
  if (slow.size === 0) return
  for (const file of slow.keys()) await send({ kind: 'waiting', file })
  await send({ kind: 'end' })
  process.exit()
})

// Not awaited: Node would print a warning for modules that never finish loading.
void loadModules()

type Load = (file: string, run: () => unknown, during?: 'load' | 'render') => Promise<void>

async function loadModules(): Promise<void> {
  const manifest = parseManifest(JSON.parse(await readFile(join(outDir, 'manifest.json'), 'utf8')))
  Reflect.set(globalThis, ENV_VALUES, valuesOf(manifest.env))
  const publicEnv = valuesOf(manifest.publicEnv)
  const environment = process.env
  process.env = noteUnset(environment, (name) => environment[name] === undefined)
  const load: Load = async (file, run, during = 'load') => {
    if (during === 'load') unset.clear()
    await send({ kind: 'loading', file })
    let isOver = false
    const loading = (async () => void (await run()))()
      .catch((error: unknown) => send(thrownMessage(file, during, error)))
      .finally(() => {
        isOver = true
        slow.delete(file)
      })
    await Promise.race([loading, sleep(PATIENCE_MS)])
    if (!isOver) slow.set(file, loading)
  }
  let bundle: ServerBundle | undefined
  await load(FRAME, async () => {
    // The build of this repository exports `bundle`.
    const entry = (await import(pathToFileURL(join(outDir, 'server/entry.js')).href)) as { bundle: ServerBundle }
    bundle = entry.bundle
  })
  // Pages are loaded with it.
  await slow.get(FRAME)
  if (bundle) await load(FRAME, () => bundle?.prepare(publicEnv), 'render')
  await loadBundles(manifest, bundle, load)
  await Promise.all(slow.values())
  await send({ kind: 'end' })
  process.exit()
}

async function loadBundles(
  { pages, screens, apiRoutes }: Manifest,
  server: ServerBundle | undefined,
  load: Load,
): Promise<void> {
  const fileOf = (pattern: string) =>
    [...pages, ...screens, ...apiRoutes].find((route) => route.pattern === pattern)?.file ?? pattern
  const { instrumentation, middleware } = server ?? {}
  if (instrumentation) await load('instrumentation', instrumentation)
  if (middleware?.load) await load('middleware', middleware.load)
  for (const [pattern, run] of Object.entries(server?.pages ?? {})) await load(fileOf(pattern), run)
  let actions: ActionsBundle | undefined
  await load('the entry of the actions', async () => {
    const entry = (await import(pathToFileURL(join(outDir, 'actions/entry.js')).href)) as { bundle: ActionsBundle }
    actions = entry.bundle
  })
  if (!actions) return
  const files = new Map(Object.values(actions.actions).map(({ name, load: run }) => [name.split('#')[0]!, run]))
  for (const [file, run] of files) await load(file, run)
  for (const [pattern, run] of Object.entries(actions.apiRoutes)) await load(fileOf(pattern), run)
}

/** The values that the environment of the build has, and placeholders for the others. */
function valuesOf(rules: Readonly<Record<string, PublicEnvRule>>): SiteValues {
  const { values, missing } = readBuildValues(rules)
  return noteUnset(values, (name) => missing.includes(name))
}

/** The same object; reading a name that has no value during the build adds the name to `unset`. */
function noteUnset<T extends object>(values: T, isUnset: (name: string) => boolean): T {
  return new Proxy(values, {
    get(target, name) {
      if (typeof name === 'string' && isUnset(name) && !isReadByNode()) unset.add(name)
      return Reflect.get(target, name)
    },
  })
}

/** Whether Node's own code reads the member: its loader looks for variables, too. */
function isReadByNode(): boolean {
  const [, , reader] = parseStackFrames(new Error().stack ?? '')
  return reader?.location.startsWith('node:') === true
}

function thrownMessage(file: string, during: 'load' | 'render', error: unknown): LoadMessage {
  const stack = error instanceof Error ? (error.stack ?? '') : ''
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  return { kind: 'thrown', file, during, text, stack, unset: [...unset] }
}
