// The inner port of a gateway: probes, metrics, status and control of all its processes (O4, O9).

import { createInvalidationRoute, type InvalidationTarget } from '@portico/shared/kit/feed/invalidation-route.ts'
import type { InnerPort } from '@portico/shared/kit/life/inner-port.ts'
import type { Log } from '@portico/shared/kit/observe/log.ts'
import type { GatewayConfig } from './config.ts'
import { createGatewayStatus, type OpenedControl, type ServingFigures } from './control/control.ts'
import { createPurgeRoute } from './purge/purge.ts'
import { createWhyRoute, type Explain } from './why/why.ts'

interface InnerParts {
  control: OpenedControl
  /** The processes that serve clients. */
  serving: InvalidationTarget & { figures(): Promise<ServingFigures>; explain: Explain }
  metrics: NonNullable<InnerPort['metrics']>
  buildId: () => string
  log: Log
}

export function createInner(
  { innerHost, innerPort }: Pick<GatewayConfig, 'innerHost' | 'innerPort'>,
  { control, serving, metrics, buildId, log }: InnerParts,
): InnerPort & { host: string; port: number } {
  return {
    host: innerHost,
    port: innerPort,
    metrics,
    status: createGatewayStatus(serving.figures, buildId),
    routes: [createInvalidationRoute(serving), createPurgeRoute(control.changes, log), createWhyRoute(serving.explain)],
    token: control.token,
  }
}
