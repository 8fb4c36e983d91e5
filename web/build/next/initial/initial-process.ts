// Loads every page of the server bundle in the folder of the first argument and reports which of them have
// getInitialProps, for initial-pages.ts. Its own process: modules of a site change globals, and may keep their process
// alive.

import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { PublicEnvRule } from '@portico/shared/wire/build-output.ts'
import { ENV_VALUES, type PageModule, type ServerBundle } from '@portico/shared/wire/bundles.ts'
import { readBuildValues } from '../../build-values.ts'
import type { InitialReport } from './initial-pages.ts'

const [, , outDir = '', rules = '{}'] = process.argv

// The renderer survives both, and logs them.
process.on('unhandledRejection', () => {})
process.on('uncaughtException', () => {})

void readPages()
  .catch(() => undefined)
  // Without a callback the process may exit before the message is sent.
  .then((report) => process.send?.(report ?? null, () => process.exit()))

async function readPages(): Promise<InitialReport> {
  // The build wrote the argument.
  const { values } = readBuildValues(JSON.parse(rules) as Record<string, PublicEnvRule>)
  Reflect.set(globalThis, ENV_VALUES, values)
  // The build of this repository exports `bundle`.
  const { bundle } = (await import(pathToFileURL(join(outDir, 'server/entry.js')).href)) as { bundle: ServerBundle }
  const report: InitialReport = { ofApp: bundle.initialProps?.ofApp === true, own: [], unknown: [] }
  for (const [route, load] of Object.entries(bundle.pages))
    try {
      const { default: Page }: PageModule = await load()
      if (Object(Page).getInitialProps && (await bundle.initialProps?.has(route))) report.own.push(route)
    } catch {
      report.unknown.push(route)
    }
  return report
}
