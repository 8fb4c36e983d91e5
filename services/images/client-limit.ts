// The limit of images that are made for one client: counted by all replicas together, in the cache Redis (I7).

import { type ClientLimit, createClientLimit } from '@portico/shared/kit/limits/client-limit.ts'
import { clientKey, takeRedisTurn } from '@portico/shared/kit/limits/redis-turns.ts'
import type { Log } from '@portico/shared/kit/observe/log.ts'
import type { RedisLink } from './cache/redis-link.ts'
import { PIPELINE_VERSION } from './cache/variant.ts'
import { createBudget } from './cache/variant-store.ts'

interface ColdLimitDeps {
  /** 0: no limit. */
  perMinute: number
  /** Undefined: variants are on the disk of this process. */
  link: Pick<RedisLink, 'control'> | undefined
  /** In the names of keys, instead of addresses. */
  secret: string
  log: Log
}

/** Undefined where no limit is set. */
export function openColdLimit({ perMinute, link, secret, log }: ColdLimitDeps): ClientLimit | undefined {
  if (perMinute === 0) return undefined
  if (!link) log.warn({ event: 'limits-local' }, 'no cache Redis: each replica counts the images of a client itself')
  // The text in the braces names the slot in a Cluster: each client has its own.
  const keyOf = (network: string) => `{portico-images-${PIPELINE_VERSION}:limit:${clientKey(network, secret)}}`
  // While Redis is unavailable the link sends nothing, and reports it: each replica then counts for itself.
  const takeShared =
    link &&
    ((network: string) => link.control(createBudget(), (redis) => takeRedisTurn(redis, keyOf(network), perMinute)))
  return createClientLimit({ perMinute, takeShared })
}
