// Server code in the browser under development (F2). Vite does not shake trees, so an import does not prove that a build
// would contain it. While a page has loaded a stub of server code, each change bundles the folder in the background as
// in a build, and what that build would refuse is reported as an error of the importing module.

import { readFileSync } from 'node:fs'
import type { DevEnvironment, ErrorPayload, Plugin } from 'vite'
import { findServerCode } from '../../bundles/build-bundle.ts'
import type { BundleSources } from '../../bundles/bundle-sources.ts'
import type { ServerCodeFinding } from '../../bundles/server-code-findings.ts'
import { packageOf } from '../../bundles/server-modules.ts'
import { STUB_PREFIX } from '../../bundles/server-stubs.ts'
import { appRelative } from '../../folder/source-paths.ts'
import { ENVIRONMENTS } from './vite-config.ts'

const NAME = 'portico:server-code-check'
/** A check takes the process for some hundred milliseconds: the pages' own work, and the author's next save, come first. */
const PAUSE_MS = 1000

export function createServerCodeCheck(sources: () => BundleSources) {
  let client: DevEnvironment | undefined
  let timer: NodeJS.Timeout | undefined
  let work: Promise<void> = Promise.resolve()
  /** Files with an error, as errors name them: app-relative, or a package. */
  let faulty: ReadonlySet<string> = new Set()

  const check = async () => {
    if (!client) return
    const { dir } = sources().folder
    // A folder that cannot be built has other errors, which Vite reports.
    const found = hasStubs(client)
      ? await findServerCode(sources())
          .then(faultsOf)
          .catch(() => [])
      : []
    faulty = new Set(found.map(({ importer }) => packageOf(importer) ?? appRelative(dir, importer)))
    for (const { err } of found) client?.hot.send({ type: 'error', err })
  }
  const run = () => {
    clearTimeout(timer)
    work = work.then(check)
    return work
  }
  const schedule = () => {
    clearTimeout(timer)
    timer = setTimeout(run, PAUSE_MS)
    timer.unref()
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

/** Whether a module that a browser loaded imports a stub now. */
function hasStubs({ moduleGraph }: DevEnvironment): boolean {
  return moduleGraph.idToModuleMap
    .entries()
    .some(([id, { importers }]) => id.startsWith(STUB_PREFIX) && importers.size > 0)
}

function faultsOf(findings: readonly ServerCodeFinding[]): { importer: string; err: ErrorPayload['err'] }[] {
  return findings
    .filter(({ kind }) => kind === 'error')
    .map(({ importer, start, message }) => {
      const lines = readFileSync(importer, 'utf8')
        .slice(0, start ?? 0)
        .split('\n')
      const loc = { file: importer, line: lines.length, column: lines.at(-1)!.length }
      return { importer, err: { message, stack: '', id: importer, plugin: NAME, ...(start !== undefined && { loc }) } }
    })
}
