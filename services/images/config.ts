// The settings of the images service: its own, of which this is the only reader of the environment, and those of the site.

import { availableParallelism, totalmem } from 'node:os'
import { join } from 'node:path'
import {
  type CommonConfig,
  type Environment,
  readCommon,
  readConfig,
  readFolders,
} from '@portico/shared/kit/config/config.ts'
import { readRedisUrl } from '@portico/shared/kit/store/read-redis-url.ts'
import type { RedisUrl } from '@portico/shared/kit/store/redis-address.ts'
import type { ImageSettings, Manifest } from '@portico/shared/wire/build-output.ts'
import type { Semantics } from '@portico/shared/wire/semantics.ts'

export interface ImagesConfig extends CommonConfig {
  siteUrl: URL
  /** Undefined: variants are stored in `cacheDir`. */
  cacheRedisUrl: RedisUrl | undefined
  cacheDir: string
  /** Undefined: purging is off. */
  stackToken: string | undefined
  encodeSlots: number
  /** Images made for one client in a minute; 0: no limit. */
  coldImagesPerMinute: number
  memoryCacheBytes: number
  diskCacheBytes: number
  /** Limit for the memory of all running encodes together. */
  encodeMemoryBytes: number
  /** The whole environment of encoder children. */
  childEnvironment: Readonly<Record<string, string>>
}

const MEBIBYTE = 1024 * 1024

/** Reads all settings. Throws ConfigError with all faults. */
export function readImagesConfig(environment: Environment, warn?: (message: string) => void): Readonly<ImagesConfig> {
  const memoryBytes = memoryLimit()
  return readConfig(
    environment,
    (read) => {
      const stackToken = read.optionalText('STACK_TOKEN', 32)
      const memoryMb = Math.max(16, Math.floor(Math.min(256, memoryBytes / 8 / MEBIBYTE)))
      return {
        ...readCommon(read),
        siteUrl: read.url('SITE_URL'),
        cacheRedisUrl: readRedisUrl(read, 'CACHE'),
        cacheDir: join(readFolders(read).cacheDir, 'images'),
        stackToken,
        // One core remains for the HTTP process. Node respects the CPU quota of a container.
        encodeSlots: read.integer('IMAGE_SLOTS', 1, 64, Math.max(1, availableParallelism() - 1)),
        coldImagesPerMinute: read.integer('RATE_LIMIT_COLD_IMAGES', 0, 60_000),
        memoryCacheBytes: read.integer('IMAGE_MEMORY_MB', 16, 65_536, memoryMb) * MEBIBYTE,
        diskCacheBytes: read.integer('IMAGE_DISK_MB', 16, 1_048_576) * MEBIBYTE,
        encodeMemoryBytes: Math.floor(memoryBytes / 2),
        childEnvironment: readChildEnvironment(environment),
      }
    },
    warn,
  )
}

/** Bytes of memory that this process may use: the container's limit, else the machine's memory. */
function memoryLimit(): number {
  const limit = process.constrainedMemory()
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem()
}

/**
 * SECURITY: an attacker who breaks out of a decoder finds no token, key or address in the environment. Four libuv
 * threads are enough for one image at a time. With two arenas glibc holds 190 MB instead of 300; the one arena of the
 * services would be one lock for all threads.
 */
function readChildEnvironment(environment: Environment): Record<string, string> {
  const names = ['PATH', 'LD_PRELOAD', 'LD_LIBRARY_PATH', 'MALLOC_CONF', 'TMPDIR', 'TZ']
  const kept: Record<string, string> = { UV_THREADPOOL_SIZE: '4', MALLOC_ARENA_MAX: '2' }
  for (const name of names) {
    const value = environment[name]
    if (value !== undefined) kept[name] = value
  }
  return kept
}

/** The image settings of a site, and the rules that are not Portico's own. */
export interface ServedSettings extends ImageSettings {
  semantics: Pick<Semantics, 'undecodedImages' | 'unknownImageParameters'>
}

export function servedSettings({ images, semantics }: Pick<Manifest, 'images' | 'semantics'>): ServedSettings {
  return { ...images, semantics }
}
