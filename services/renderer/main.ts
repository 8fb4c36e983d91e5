// The renderer as a process.

import { runService } from '@portico/shared/kit/life/run-service.ts'
import { readRendererConfig } from './config.ts'
import { start } from './start.ts'

await runService('renderer', process.env, readRendererConfig, (config, log) => {
  // Code of the site is loaded after this.
  process.env.PORT = String(config.appPort)
  return start(config, log)
})
