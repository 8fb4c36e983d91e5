// The gateway's connection for small commands to the state Redis: its figures, and the limits that all gateways share.

import { type ClientLimit, createClientLimit } from '@portico/shared/kit/limits/client-limit.ts'
import { clientKey, createSharedTurns } from '@portico/shared/kit/limits/redis-turns.ts'
import type { Log } from '@portico/shared/kit/observe/log.ts'
import type { connectRedis } from '@portico/shared/kit/store/redis.ts'
import { addRedisMetrics, readInfo } from '@portico/shared/kit/store/redis-metrics.ts'
import type { Registry } from '@prometheus-io/client'
import type { GatewayConfig } from '../config.ts'
import type { StackToken } from './stack-token.ts'

type Redis = ReturnType<typeof connectRedis>

interface StateParts {
  token: Pick<StackToken, 'current'>
  registry: Registry
  log: Log
}

interface State {
  /** Undefined where no limit is set. */
  postLimit: ClientLimit | undefined
  close(): void
}

/** Connects in the background. Without a state Redis its client is not loaded, and each gateway counts for itself. */
export async function openState(
  { stateRedisUrl, postsPerMinute }: Pick<GatewayConfig, 'stateRedisUrl' | 'postsPerMinute'>,
  parts: StateParts,
): Promise<State> {
  const redis = stateRedisUrl && (await connect(stateRedisUrl))
  if (redis) addRedisMetrics({ registry: parts.registry, store: 'state', readInfo: () => readInfo(redis) })
  return { postLimit: openPostLimit(postsPerMinute, redis, parts), close: () => redis?.disconnect() }
}

async function connect(url: Parameters<typeof connectRedis>[0]): Promise<Redis> {
  const store = await import('@portico/shared/kit/store/redis.ts')
  const redis = store.connectRedis(url, 'state', { connectionName: 'portico-gateway-state' })
  // Each command reports the fault.
  redis.on('error', () => {})
  return redis
}

const POST_LIMIT_KEY = 'portico:limit:post:'

function openPostLimit(perMinute: number, redis: Redis | undefined, { token, log }: StateParts) {
  if (perMinute === 0) return undefined
  if (!redis) log.warn({ event: 'limits-local' }, 'no state Redis: each gateway counts the requests of a client itself')
  const keyOf = (network: string) => {
    const secret = token.current()
    return secret === undefined ? undefined : POST_LIMIT_KEY + clientKey(network, secret)
  }
  return createClientLimit({ perMinute, takeShared: redis && createSharedTurns({ redis, perMinute, keyOf, log }) })
}
