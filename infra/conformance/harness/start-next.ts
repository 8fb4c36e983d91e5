// The fixture on real Next.js.

import { join } from 'node:path'
import type { BuildResult, StartedSite } from './behaviour.ts'
import { type ConfigurationName, FOLDER, writeConfiguration, writeFiles } from './configurations.ts'
import { buildWith, installedNext, startNextIn } from './real-next.ts'

/** Builds the files of a behaviour. */
export async function buildNext(name: string, files: ReadonlyMap<string, Buffer>): Promise<BuildResult> {
  const installed = installedNext()
  const folder = join(installed, FOLDER, name)
  await writeFiles(files, folder)
  return buildWith(installed, folder)
}

export async function startNext(configuration: ConfigurationName): Promise<StartedSite> {
  const installed = installedNext()
  const folder = join(installed, FOLDER, configuration)
  await writeConfiguration(configuration, folder)
  return startNextIn(installed, folder)
}
