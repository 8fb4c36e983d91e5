// The renderer as a process.

import { runService } from '@portico/shared/kit/life/run-service.ts'
import { startService } from '@portico/shared/kit/life/serve.ts'
import { readRendererConfig } from './config.ts'
import { openRenderer } from './open.ts'

await runService('renderer', process.env, readRendererConfig, async (config, log) => {
  // Code of the site is loaded after this.
  process.env.PORT = String(config.appPort)
  return startService({ log, ...(await openRenderer(config, log)) })
})
