// The fixture on real Next.js.

import { join } from 'node:path'
import { type ConfigurationName, FOLDER, writeConfiguration } from './configurations.ts'
import { installedNext, startNextIn } from './real-next.ts'
import type { StartedSite } from './run-suites.ts'

export async function startNext(configuration: ConfigurationName): Promise<StartedSite> {
  const installed = await installedNext()
  const folder = join(installed, FOLDER, configuration)
  await writeConfiguration(configuration, folder)
  return startNextIn(installed, folder)
}
