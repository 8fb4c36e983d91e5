// The gateway's settings: the only reader of its environment.

import { totalmem } from 'node:os'
import { plainHost } from '@portico/shared/kit/addresses/plain-host.ts'
import {
  type Environment,
  type Reader,
  readCommon,
  readConfig,
  readDataDir,
} from '@portico/shared/kit/config/config.ts'
import { readInnerUrls, readServiceAddresses } from '@portico/shared/kit/config/service-addresses.ts'
import type { SecretStore } from '@portico/shared/kit/secrets/open-secrets.ts'
import { readRedisUrl } from '@portico/shared/kit/store/read-redis-url.ts'
import { readStackAddresses } from '@portico/shared/kit/store/stack-addresses.ts'
import { readCpuLimit } from './cpu-limit.ts'
import { isHost, parseTrustedProxies } from './headers/headers.ts'

const MEBIBYTE = 1024 * 1024
/** Share of the container's memory for the page cache; without a memory limit, mebibytes. */
const CACHE_SHARE = 1 / 6
const CACHE_MB_WITHOUT_LIMIT = 64

/** More would leave a worker less room for reading than the largest entry takes (bounds.ts). */
const MOST_WORKERS = 8
/** Workers without a setting: more rarely have something to do, and each takes memory. */
const MOST_DEFAULT_WORKERS = 4
/** What a worker takes with its part of the page cache, and what the primary takes (infra/bench/gateway/workers.ts). */
const WORKER_BYTES = 192 * MEBIBYTE
const PRIMARY_BYTES = 128 * MEBIBYTE

export type GatewayConfig = ReturnType<typeof readGatewayConfig>

/**
 * Reads the gateway's settings. Throws ConfigError with all faults. `memoryLimitBytes` is that of the container; 0 or more
 * than the machine has: there is no limit. `cpuLimit`: processors that the container may use.
 */
export function readGatewayConfig(
  environment: Environment,
  warn: (message: string) => void,
  memoryLimitBytes = process.constrainedMemory(),
  cpuLimit = readCpuLimit(),
) {
  return readConfig(
    environment,
    (read) => {
      const common = readCommon(read)
      const publicOrigins = read.origins('PUBLIC_ORIGINS')
      const trustedProxies = parseTrustedProxies(read.list('TRUSTED_PROXIES'))
      const rewriteInnerHosts = read.list('REWRITE_INNER_HOSTS')
      if (!rewriteInnerHosts.every(isHost)) read.refuse('REWRITE_INNER_HOSTS')
      if (!trustedProxies) read.refuse('TRUSTED_PROXIES')
      const cacheBytes = read.integer('GATEWAY_CACHE_MB', 0, 65_536, defaultCacheMb(memoryLimitBytes)) * MEBIBYTE
      const hasCdnTags = read.oneOf('CDN_TAGS', ['on', 'off']) === 'on'
      // Only entries have tags.
      if (hasCdnTags && cacheBytes === 0) read.refuse('CDN_TAGS', 'off where GATEWAY_CACHE_MB is 0')
      const workers = read.integer('GATEWAY_WORKERS', 1, MOST_WORKERS, defaultWorkers(cpuLimit, memoryLimitBytes))
      return {
        ...common,
        /** Processes that serve clients. Under development the site's folder is followed by one. */
        workers: common.isDevelopment ? 1 : workers,
        siteHost: common.innerHost,
        sitePort: read.port('SITE_PORT'),
        services: {
          renderer: readServiceAddresses(read, 'renderer', common.innerPort),
          images: readServiceAddresses(read, 'images', common.innerPort),
          actions: readServiceAddresses(read, 'actions', common.innerPort),
        },
        /** All gateways: each notifies the others of a purge. */
        gatewayInnerUrls: readInnerUrls(read, 'gateway', [read.url('SITE_URL')], common.innerPort),
        stateRedisUrl: readRedisUrl(read, 'STATE'),
        dataDir: readDataDir(read),
        stackToken: read.optionalText('STACK_TOKEN', 32),
        cacheBytes,
        hasCdnTags,
        publicOrigins,
        certificates: readCertificateCheck(read, publicOrigins),
        rewriteInnerHosts,
        trustedProxies: trustedProxies ?? [],
        maxConnectionsPerAddress: read.integer('MAX_CONNECTIONS_PER_ADDRESS', 1, 1_000_000),
        /** 0: no limit. */
        accessLinesPerClient: read.integer('ACCESS_LINES_PER_CLIENT', 0, 1_000_000),
        /** 0: no limit. */
        postsPerMinute: read.integer('RATE_LIMIT_POSTS', 0, 60_000),
      }
    },
    warn,
  )
}

/** Under development pages change without a mark. */
export function hasPageCache({
  isDevelopment,
  cacheBytes,
}: Pick<GatewayConfig, 'isDevelopment' | 'cacheBytes'>): boolean {
  return !isDevelopment && cacheBytes > 0
}

/** The ports that clients and services use. */
export function addressesOf({ host, port, siteHost, sitePort }: GatewayConfig) {
  return [
    { name: 'public' as const, host, port },
    // Data functions fetch through this listener while renderer and actions warm up.
    { name: 'site' as const, host: siteHost, port: sitePort, opensBeforeWarmUp: true },
  ]
}

/** Where certificates are read, and for which names. Undefined: nowhere. */
function readCertificateCheck(read: Reader, publicOrigins: readonly string[]) {
  const place = read.optionalText('CERTIFICATE_CHECK')
  if (place === undefined) return undefined
  const names = publicOrigins.filter((origin) => origin.startsWith('https:')).map((origin) => new URL(origin).hostname)
  if (!isHost(place) || names.length === 0) {
    read.refuse('CERTIFICATE_CHECK')
    return undefined
  }
  const { hostname, port } = new URL(`https://${place}`)
  return { host: plainHost(hostname), port: Number(port || 443), names: [...new Set(names.map(plainHost))] }
}

/** More workers than fit into the memory of the container would be killed. */
function defaultWorkers(cpuLimit: number, limitBytes: number): number {
  const room = isLimited(limitBytes) ? Math.floor((limitBytes - PRIMARY_BYTES) / WORKER_BYTES) : MOST_DEFAULT_WORKERS
  return Math.max(1, Math.min(cpuLimit, MOST_DEFAULT_WORKERS, room))
}

function isLimited(limitBytes: number): boolean {
  return limitBytes > 0 && limitBytes < totalmem()
}

function defaultCacheMb(limitBytes: number): number {
  return isLimited(limitBytes) ? Math.floor((limitBytes * CACHE_SHARE) / MEBIBYTE) : CACHE_MB_WITHOUT_LIMIT
}

/** How a command reaches the inner port of a gateway. */
export interface CommandConfig {
  /** Inner port of any gateway. */
  gatewayInnerUrl: URL
  /** Undefined: the token that the stack made itself is in the state store. */
  stackToken: string | undefined
  store: SecretStore
}

interface PurgeConfig extends CommandConfig {
  /** Inner ports of the images service: replicas behind one host notify each other, each of a list receives the purge. */
  imagesInnerUrls: readonly URL[]
}

/** Settings of the purge command. */
export function readPurgeConfig(environment: Environment = process.env): Readonly<PurgeConfig> {
  return readConfig(environment, (read) => {
    const { local, innerPort, ...command } = readCommand(read)
    return {
      ...command,
      imagesInnerUrls: local?.images ?? readInnerUrls(read, 'images', read.urls('IMAGES_URL'), innerPort),
    }
  })
}

interface WhyConfig extends CommandConfig {
  /** Host header of a request whose path alone is given. */
  publicHost: string
}

/** Settings of the command that explains a request. */
export function readWhyConfig(environment: Environment = process.env): Readonly<WhyConfig> {
  return readConfig(environment, (read) => {
    const { gatewayInnerUrl, stackToken, store } = readCommand(read)
    const [origin] = read.origins('PUBLIC_ORIGINS')
    return { gatewayInnerUrl, stackToken, store, publicHost: origin === undefined ? 'localhost' : new URL(origin).host }
  })
}

/**
 * In a gateway's container the settings of a command are those of the gateway; next to `npm start` the stack has written its
 * addresses into DATA_DIR.
 */
function readCommand(read: Reader) {
  const dataDir = readDataDir(read)
  const { innerPort } = readCommon(read)
  const stateRedisUrl = readRedisUrl(read, 'STATE')
  const local = readStackAddresses(dataDir)
  return {
    local,
    innerPort,
    gatewayInnerUrl: local?.gateway ?? new URL(`http://127.0.0.1:${innerPort}`),
    stackToken: read.optionalText('STACK_TOKEN', 32),
    // The stack of one machine keeps its token in DATA_DIR, also where its services use a Redis.
    store: { stateRedisUrl: local ? undefined : stateRedisUrl, dataDir },
  }
}
