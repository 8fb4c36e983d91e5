// The gateway's settings: the only reader of its environment.

import {
  type Environment,
  readCommon,
  readConfig,
  readInnerUrl,
  readRedisUrl,
} from '@portico/shared/kit/config/config.ts'
import { MAX_CONNECTIONS_PER_ADDRESS } from '@portico/shared/wire/constants.ts'
import { parseTrustedProxies } from './proxy/headers/forwarded.ts'

export type GatewayConfig = ReturnType<typeof readGatewayConfig>

/** Reads the gateway's settings. Throws ConfigError with all faults. */
export function readGatewayConfig(environment: Environment, warn: (message: string) => void) {
  return readConfig(
    environment,
    (read) => {
      const common = readCommon(read)
      const rendererUrl = read.url('RENDERER_URL', 'http://renderer:8080')
      const imagesUrl = read.url('IMAGES_URL', 'http://images:8080')
      const actionsUrl = read.url('ACTIONS_URL', 'http://actions:8080')
      const publicOrigins = read.list('PUBLIC_ORIGINS')
      if (!publicOrigins.every(isOrigin)) read.refuse('PUBLIC_ORIGINS')
      const trustedProxies = parseTrustedProxies(read.list('TRUSTED_PROXIES'))
      if (!trustedProxies) read.refuse('TRUSTED_PROXIES')
      return {
        ...common,
        siteHost: read.text('SITE_HOST', common.host),
        sitePort: read.port('SITE_PORT', 8081),
        services: {
          renderer: {
            url: rendererUrl,
            innerUrl: readInnerUrl(read, 'RENDERER_INNER_URL', rendererUrl, common.innerPort),
          },
          images: { url: imagesUrl, innerUrl: readInnerUrl(read, 'IMAGES_INNER_URL', imagesUrl, common.innerPort) },
          actions: { url: actionsUrl, innerUrl: readInnerUrl(read, 'ACTIONS_INNER_URL', actionsUrl, common.innerPort) },
        },
        stateRedisUrl: readRedisUrl(read, 'STATE'),
        dataDir: read.text('DATA_DIR', '.data'),
        publicOrigins,
        trustedProxies: trustedProxies ?? [],
        maxConnectionsPerAddress: read.integer(
          'MAX_CONNECTIONS_PER_ADDRESS',
          MAX_CONNECTIONS_PER_ADDRESS,
          1,
          1_000_000,
        ),
      }
    },
    warn,
  )
}

function isOrigin(text: string): boolean {
  return /^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text
}
