// The fixture on Portico, in a folder outside of the repository that keeps its build for the next project and run.

import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEmbedded } from '../../harness/embedded-stack.ts'
import { type ConfigurationName, FOLDER, writeConfiguration } from './configurations.ts'
import type { StartedSite } from './run-suites.ts'

export async function startPortico(configuration: ConfigurationName): Promise<StartedSite> {
  const folder = join(tmpdir(), FOLDER, configuration)
  await writeConfiguration(configuration, folder)
  const { baseUrl, stop } = await startEmbedded({ appDir: folder, env: { REWRITE_INNER_HOSTS: '127.0.0.1' } })
  return { origin: new URL(baseUrl).origin, stop: async () => void (await stop()) }
}
