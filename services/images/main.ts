// The images service as a process: optimised pictures behind the gateway.

import { createLog } from '../shared/node/log.ts'
import { runService } from '../shared/node/serve.ts'
import { readImagesConfig } from './config.ts'
import { startImagesService } from './images-service.ts'

const bootLog = createLog('images', 'info')

await runService(bootLog, () => {
  const config = readImagesConfig(process.env, (message) => bootLog.warn(message))
  return startImagesService(config, createLog('images', config.logLevel))
})
