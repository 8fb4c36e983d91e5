// The images service as a process.

import { runService } from '@portico/shared/kit/life/run-service.ts'
import { startService } from '@portico/shared/kit/life/serve.ts'
import { readImagesConfig } from './config.ts'
import { openImages } from './open.ts'

await runService('images', process.env, readImagesConfig, async (config, log) =>
  startService({ log, ...(await openImages(config, log)) }),
)
