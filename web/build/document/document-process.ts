// Loads the server bundle of the build in the folder of the first argument and makes the template of its document, for
// check-document.ts. Its own process: modules of a site change globals, and may keep their process alive.

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type PublicEnvRule, parseManifest } from '@portico/shared/wire/build-output.ts'
import { ENV_VALUES, type ServerBundle } from '@portico/shared/wire/bundles.ts'
import type { SiteValues } from '@portico/shared/wire/environment/site-values.ts'
import { parseStackFrames } from '@portico/shared/wire/errors/stack-frames.ts'
import { readBuildValues } from './build-values.ts'
import type { DocumentReport } from './check-document.ts'

const outDir = process.argv[2]!
/** Names without a value that the site has read. */
const unset = new Set<string>()
let during: 'load' | 'render' = 'load'

// The renderer survives both, and logs them.
process.on('unhandledRejection', () => {})
process.on('uncaughtException', () => {})

// Not awaited: Node would print a warning for modules that never finish loading, which the process that started this
// one reports.
void makeDocument()
  .catch(thrownReport)
  // Without a callback the process may exit before the message is sent.
  .then((report) => process.send?.(report, () => process.exit()))

async function makeDocument(): Promise<DocumentReport> {
  const manifest = parseManifest(JSON.parse(await readFile(join(outDir, 'manifest.json'), 'utf8')))
  Reflect.set(globalThis, ENV_VALUES, valuesOf(manifest.env))
  const publicEnv = valuesOf(manifest.publicEnv)
  const environment = process.env
  process.env = noteUnset(environment, (name) => environment[name] === undefined)
  // The build of this repository exports `bundle`.
  const entry = (await import(pathToFileURL(join(outDir, 'server/entry.js')).href)) as { bundle: ServerBundle }
  during = 'render'
  entry.bundle.prepare(publicEnv)
  return { kind: 'made' }
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

function thrownReport(error: unknown): DocumentReport {
  const stack = error instanceof Error ? (error.stack ?? '') : ''
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  return { kind: 'thrown', during, text, stack, unset: [...unset] }
}
