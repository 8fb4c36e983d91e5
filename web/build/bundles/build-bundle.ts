// Builds one of the three production bundles.

import { readFileSync } from 'node:fs'
import { isAbsolute } from 'node:path'
import { build, mergeConfig, type Rolldown } from 'vite'
import { BuildError, lineAndColumn } from '../build-error.ts'
import { withoutQuery } from '../folder/source-paths.ts'
import { readableError } from '../readable-error.ts'
import { type BundleName, bundleConfig } from './bundle-config.ts'
import type { BundleSources } from './bundle-sources.ts'
import type { ServerCodeFinding } from './server-code-findings.ts'
import { VIRTUAL_MODULES } from './virtual-modules.ts'

/** Writes the bundle to `outDir` and returns the bundler's output. Throws BuildError for faults of the author. */
export async function buildBundle(
  name: BundleName,
  sources: BundleSources,
  outDir: string,
): Promise<Rolldown.RolldownOutput['output']> {
  try {
    const result = await build(await bundleConfig(name, sources, outDir))
    // Vite returns one output for one configuration, and a list or a watcher for others.
    if ('output' in result) {
      refuseServerCode(sources)
      return result.output
    }
  } catch (error) {
    throw readableError(error, sources.folder.dir)
  }
  throw new Error(`the ${name} bundle has no output`)
}

/**
 * The server code that a build would find in the browser bundle now. Writes nothing, and bundles the modules alone whose
 * absolute paths `leading` has: those from which imports lead to server code. All others, with React and every package, are
 * most of what a build parses.
 */
export async function findServerCode(
  sources: BundleSources,
  leading: { has(path: string): boolean },
): Promise<readonly ServerCodeFinding[]> {
  const serverCode: ServerCodeFinding[] = []
  const config = await bundleConfig('client', { ...sources, serverCode }, sources.folder.dir)
  const rolldownOptions = {
    input: { start: VIRTUAL_MODULES.browserApp },
    external: (id: string, _importer: unknown, isResolved: boolean) =>
      isResolved && isAbsolute(id) && !leading.has(withoutQuery(id)),
  }
  await build(mergeConfig(config, { build: { write: false, sourcemap: false, rolldownOptions } }))
  return serverCode
}

function refuseServerCode({ serverCode }: BundleSources): void {
  const errors = serverCode.filter(({ kind }) => kind === 'error')
  if (errors.length > 0) throw new BuildError(errors.map(placed).join('\n'))
}

/** The message, which begins with the file, with the line of the import or of the use. */
function placed({ importer, start, message }: ServerCodeFinding): string {
  if (start === undefined) return message
  return message.replace(': ', `:${lineAndColumn(readFileSync(importer, 'utf8'), start)}: `)
}
