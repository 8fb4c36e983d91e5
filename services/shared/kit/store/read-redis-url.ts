// Reads the address of a Redis from the settings, and its password from its file.

import type { Reader } from '../config/config.ts'
import { maskRedisUrl, parseRedisUrl, type RedisUrl, toRedisUrl, withPassword } from './redis-address.ts'

/** Undefined without the setting. A fault has the address without its password. */
export function readRedisUrl(read: Reader, store: 'CACHE' | 'STATE'): RedisUrl | undefined {
  const text = read.optionalText(`${store}_REDIS_URL`)
  const password = read.secretFile(`${store}_REDIS_PASSWORD_FILE`)
  const address = text === undefined ? undefined : parseRedisUrl(text)
  if (text === undefined || address === undefined) {
    if (password !== undefined) read.refuse(`${store}_REDIS_PASSWORD_FILE`)
    return undefined
  }
  if ('rule' in address) {
    read.refuse(`${store}_REDIS_URL`, address.rule, maskRedisUrl(text))
    return undefined
  }
  // An option that has no effect.
  if (store === 'CACHE' && /[?&]replicas=/.test(text))
    read.refuse('CACHE_REDIS_URL', 'an address without replicas, which confirm submissions', maskRedisUrl(text))
  if (password === undefined) return toRedisUrl(text)
  if (address.password === undefined) return toRedisUrl(withPassword(text, password))
  read.refuse(`${store}_REDIS_PASSWORD_FILE`)
  return undefined
}
