// The gateway's settings: the only reader of its environment.

import {
  type Environment,
  readCommon,
  readConfig,
  readFolders,
  readInnerUrl,
  readRedisUrl,
} from '@portico/shared/kit/config/config.ts'
import { parseTrustedProxies } from './proxy/headers/forwarded.ts'

const MEBIBYTE = 1024 * 1024

export type GatewayConfig = ReturnType<typeof readGatewayConfig>

/** Reads the gateway's settings. Throws ConfigError with all faults. */
export function readGatewayConfig(environment: Environment, warn: (message: string) => void) {
  return readConfig(
    environment,
    (read) => {
      const common = readCommon(read)
      const rendererUrl = read.url('RENDERER_URL')
      const imagesUrl = read.url('IMAGES_URL')
      const actionsUrl = read.url('ACTIONS_URL')
      const publicOrigins = read.origins('PUBLIC_ORIGINS')
      const trustedProxies = parseTrustedProxies(read.list('TRUSTED_PROXIES'))
      if (!trustedProxies) read.refuse('TRUSTED_PROXIES')
      const cacheBytes = read.integer('GATEWAY_CACHE_MB', 0, 65_536) * MEBIBYTE
      const hasCdnTags = read.oneOf('CDN_TAGS', ['on', 'off']) === 'on'
      // Only entries have tags.
      if (hasCdnTags && cacheBytes === 0) read.refuse('CDN_TAGS', 'off where GATEWAY_CACHE_MB is 0')
      return {
        ...common,
        siteHost: read.text('SITE_HOST', common.host),
        sitePort: read.port('SITE_PORT'),
        services: {
          renderer: {
            url: rendererUrl,
            innerUrl: readInnerUrl(read, 'RENDERER_INNER_URL', rendererUrl, common.innerPort),
          },
          images: { url: imagesUrl, innerUrl: readInnerUrl(read, 'IMAGES_INNER_URL', imagesUrl, common.innerPort) },
          actions: { url: actionsUrl, innerUrl: readInnerUrl(read, 'ACTIONS_INNER_URL', actionsUrl, common.innerPort) },
        },
        stateRedisUrl: readRedisUrl(read, 'STATE'),
        dataDir: readFolders(read).dataDir,
        stackToken: read.optionalText('STACK_TOKEN', 32),
        cacheBytes,
        hasCdnTags,
        publicOrigins,
        trustedProxies: trustedProxies ?? [],
        maxConnectionsPerAddress: read.integer('MAX_CONNECTIONS_PER_ADDRESS', 1, 1_000_000),
      }
    },
    warn,
  )
}
