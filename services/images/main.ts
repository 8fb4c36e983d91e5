// The images service as a process.

import { runService } from '@portico/shared/kit/life/run-service.ts'
import { readImagesConfig } from './config.ts'
import { start } from './start.ts'

await runService('images', process.env, readImagesConfig, start)
