// The actions service as a process: the only part of the stack that runs actions and API handlers, and so the only writer.

import { runService } from '@portico/shared/kit/life/run-service.ts'
import { startService } from '@portico/shared/kit/life/serve.ts'
import { readActionsConfig } from './config.ts'
import { openActions } from './open.ts'

await runService('actions', process.env, readActionsConfig, async (config, log) => {
  // Code of the site is loaded after this.
  process.env.PORT = String(config.appPort)
  return startService({ log, ...(await openActions(config, log)) })
})
