// The fixture on Portico, in a folder outside of the repository that keeps its build for the next project and run.

import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEmbedded } from '../../harness/embedded-stack.ts'
import type { StartedSite } from './behaviour.ts'
import { type ConfigurationName, FOLDER, writeConfiguration } from './configurations.ts'

export async function startPortico(configuration: ConfigurationName): Promise<StartedSite> {
  const folder = join(tmpdir(), FOLDER, configuration)
  await writeConfiguration(configuration, folder)
  const { baseUrl, lines, stop } = await startEmbedded({ appDir: folder })
  return {
    origin: new URL(baseUrl).origin,
    log: () => lines.map((line) => JSON.stringify(line)),
    stop: async () => void (await stop()),
  }
}
