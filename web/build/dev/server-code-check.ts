// Server code in the browser under development (F2). Vite does not shake trees, so an import does not prove that a build
// would contain it. While a page has loaded a stub of server code, each change bundles the folder in the background as
// in a build, and what that build would refuse is reported as an error of the importing module.

import { readFileSync } from 'node:fs'
import type { DevEnvironment, EnvironmentModuleNode, ErrorPayload, Plugin } from 'vite'
import { type BundleSources, packageOf, type ServerCodeFinding } from '../bundle-sources/bundle-sources.ts'
import { findServerCode } from '../bundles/bundles.ts'
import { STUB_PREFIX } from '../server-code/server-code.ts'
import { appRelative } from '../source/source.ts'
import { ENVIRONMENTS } from './vite-config.ts'

const NAME = 'portico:server-code-check'
/** A check takes the process for 100 to 300 milliseconds: the pages' own work, and the author's next save, come first. */
const PAUSE_MS = 400
/** A module that has a stub since the last check may break its page, and the author waits for the reason. */
const NEW_STUB_PAUSE_MS = 150

export function createServerCodeCheck(sources: () => BundleSources) {
  let client: DevEnvironment | undefined
  let timer: NodeJS.Timeout | undefined
  let work: Promise<void> = Promise.resolve()
  /** A check that has not begun: it sees every change until then. */
  let next: Promise<void> | undefined
  /** Files with an error, as errors name them: app-relative, or a package. */
  let faulty: ReadonlySet<string> = new Set()
  /** Imports of stubs that the last check saw. */
  let checked: ReadonlySet<string> = new Set()
  /** Counts changes that a check may see. */
  let changes = 0

  const check = async (): Promise<void> => {
    if (!client) return
    const { dir } = sources().folder
    const before = changes
    checked = importsOfStubs(client)
    // A folder that cannot be built has other errors, which Vite reports.
    const found =
      checked.size > 0
        ? await findServerCode(sources(), leadingTo(stubsOf(client)))
            .then(faultsOf)
            .catch(() => [])
        : []
    // What a bundle of older files contains may be fixed.
    if (changes !== before) return check()
    faulty = new Set(found.map(({ importer }) => packageOf(importer) ?? appRelative(dir, importer)))
    for (const { err } of found) client?.hot.send({ type: 'error', err })
  }
  const run = () => {
    clearTimeout(timer)
    next ??= work = work.then(() => {
      next = undefined
      return check()
    })
    return next
  }
  const after = (pauseMs: number, callback: () => void) => {
    clearTimeout(timer)
    timer = setTimeout(callback, pauseMs)
    timer.unref()
  }
  const schedule = () => {
    changes++
    after(NEW_STUB_PAUSE_MS, () => {
      const isNew = client && !importsOfStubs(client).isSubsetOf(checked)
      if (isNew) void run()
      else after(PAUSE_MS - NEW_STUB_PAUSE_MS, run)
    })
  }
  const plugin: Plugin = {
    name: NAME,
    applyToEnvironment: ({ config }) => config.consumer === 'client',
    configureServer({ environments, watcher }) {
      client = environments[ENVIRONMENTS.browser]
      const isIn = (name: string, file: string) => environments[name]?.moduleGraph.getModulesByFile(file)?.size
      watcher.on('all', (event, file) => {
        // Browsers have a superset of what a build would give them: what only the server has loaded is not in it.
        const isServerOnly = isIn(ENVIRONMENTS.renderer, file) && !isIn(ENVIRONMENTS.browser, file)
        if (event !== 'change' || !isServerOnly) schedule()
      })
    },
    transform: { filter: { id: new RegExp(`^${STUB_PREFIX}`) }, handler: schedule },
  }
  return {
    plugin,
    /** Checks the folder again if a file had an error; resolves to whether it has one now. */
    async isFaulty(file: string): Promise<boolean> {
      if (faulty.has(file)) await run()
      return faulty.has(file)
    },
    async close(): Promise<void> {
      client = undefined
      clearTimeout(timer)
      await work
    },
  }
}

/** The imports of server code in the modules that browsers loaded. */
function importsOfStubs(client: DevEnvironment): ReadonlySet<string> {
  return new Set(stubsOf(client).flatMap(({ id, importers }) => [...importers].map((each) => `${each.id} ${id}`)))
}

function stubsOf({ moduleGraph }: DevEnvironment): EnvironmentModuleNode[] {
  return [...moduleGraph.idToModuleMap.values()].filter(
    ({ id, importers }) => id?.startsWith(STUB_PREFIX) && importers.size > 0,
  )
}

/** The files of the modules from which browsers came to a stub. */
function leadingTo(stubs: readonly EnvironmentModuleNode[]): ReadonlySet<string> {
  const above = new Set(stubs)
  for (const { importers } of above) for (const importer of importers) above.add(importer)
  return new Set([...above].map(({ file }) => file ?? ''))
}

const readsEnvironment = ({ message }: ServerCodeFinding) => message.includes(': reads process.env')

function faultsOf(findings: readonly ServerCodeFinding[]): { importer: string; err: ErrorPayload['err'] }[] {
  return (
    findings
      .filter(({ kind }) => kind === 'error')
      // The overlay opens at the last one: an import of server code explains why its module reads the environment.
      .sort((one, other) => Number(readsEnvironment(other)) - Number(readsEnvironment(one)))
      .map(({ importer, start, message }) => {
        const lines = readFileSync(importer, 'utf8')
          .slice(0, start ?? 0)
          .split('\n')
        const loc = { file: importer, line: lines.length, column: lines.at(-1)!.length }
        return {
          importer,
          err: { message, stack: '', id: importer, plugin: NAME, ...(start !== undefined && { loc }) },
        }
      })
  )
}
