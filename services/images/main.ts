// The images service as a process: serves optimised images behind the gateway.

import { createLog } from '../shared/node/log.ts'
import { runService } from '../shared/node/serve.ts'
import { startTracing } from '../shared/node/tracing.ts'
import { readImagesConfig } from './config.ts'
import { startImagesService } from './images-service.ts'

const bootLog = createLog('images', 'info')

await runService(bootLog, async () => {
  const config = readImagesConfig(process.env, (message) => bootLog.warn(message))
  const log = createLog('images', config.logLevel)
  await startTracing('images', config, log)
  return startImagesService(config, log)
})
