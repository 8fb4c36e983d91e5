// The gateway as a process: the only service whose port is published.

import cluster from 'node:cluster'
import { runService } from '@portico/shared/kit/life/run-service.ts'
import { readGatewayConfig } from './config.ts'
import { start } from './start.ts'

await runService('gateway', process.env, readGatewayConfig, start, cluster.worker?.id)
