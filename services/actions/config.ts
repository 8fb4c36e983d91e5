// The actions service's settings; the only reader of its environment (W5).

import {
  type Environment,
  readCommon,
  readConfig,
  readInnerUrl,
  readRedisUrl,
} from '@portico/shared/kit/config/config.ts'

export type ActionsConfig = ReturnType<typeof readActionsConfig>

/** Reads the environment. Throws ConfigError with all faults. */
export function readActionsConfig(environment: Environment, warn: (message: string) => void = () => {}) {
  return readConfig(
    environment,
    (read) => {
      const common = readCommon(read)
      const rendererUrl = read.url('RENDERER_URL', 'http://renderer:8080')
      const siteUrl = read.url('SITE_URL', 'http://gateway:8081')
      const actionKeys = read.list('ACTION_KEYS')
      if (actionKeys.some((key) => key.length < 32)) read.refuse('ACTION_KEYS')
      const publicOrigins = read.list('PUBLIC_ORIGINS')
      if (!publicOrigins.every(isOrigin)) read.refuse('PUBLIC_ORIGINS')
      return {
        ...common,
        /** Source of the site's public values. */
        environment,
        rendererInnerUrl: readInnerUrl(read, 'RENDERER_INNER_URL', rendererUrl, common.innerPort),
        gatewayInnerUrl: readInnerUrl(read, 'GATEWAY_INNER_URL', siteUrl, common.innerPort),
        siteUrl,
        stateRedisUrl: readRedisUrl(read, 'STATE'),
        dataDir: read.text('DATA_DIR', '.data'),
        publicOrigins: publicOrigins.filter(isOrigin).map((origin) => new URL(origin).origin),
        actionKeys,
        stackToken: read.optionalText('STACK_TOKEN', 32),
        isStackStatusOn: read.oneOf('STACK_STATUS', ['on', 'off'], 'on') === 'on',
      }
    },
    warn,
  )
}

function isOrigin(text: string): boolean {
  if (!URL.canParse(text)) return false
  const url = new URL(text)
  return /^https?:$/.test(url.protocol) && url.pathname === '/' && url.search === '' && !text.endsWith('/')
}
