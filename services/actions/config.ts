// The actions service's settings; the only reader of its environment (W5).

import { type Environment, readCommon, readConfig, readInnerUrl, readRedisUrl } from '../shared/node/config.ts'
import type { SettingName } from '../shared/node/settings.ts'

export type ActionsConfig = ReturnType<typeof readActionsConfig>

/** Reads the environment. Throws ConfigError with all faults. */
export function readActionsConfig(environment: Environment, warn: (message: string) => void = () => {}) {
  return readConfig(
    environment,
    (read) => {
      const common = readCommon(read)
      const rendererUrl = read.url('RENDERER_URL', 'http://renderer:8080')
      const siteUrl = read.url('SITE_URL', 'http://gateway:8081')
      const inner = (name: SettingName, serviceUrl: URL) => readInnerUrl(read, name, serviceUrl, common.innerPort)
      const rendererInnerUrl = inner('RENDERER_INNER_URL', rendererUrl)
      const actionKeys = read.list('ACTION_KEYS')
      if (actionKeys.some((key) => key.length < 32)) read.refuse('ACTION_KEYS')
      const publicOrigins = read.list('PUBLIC_ORIGINS')
      if (!publicOrigins.every(isOrigin)) read.refuse('PUBLIC_ORIGINS')
      return {
        ...common,
        /** Source of the site's public values. */
        environment,
        rendererInnerUrl,
        siteUrl,
        stateRedisUrl: readRedisUrl(read, 'STATE'),
        dataDir: read.text('DATA_DIR', '.data'),
        publicOrigins: publicOrigins.filter(isOrigin).map((origin) => new URL(origin).origin),
        actionKeys,
        stackToken: read.optionalText('STACK_TOKEN', 32),
        isStackStatusOn: read.oneOf('STACK_STATUS', ['on', 'off'], 'on') === 'on',
        innerUrls: {
          gateway: inner('GATEWAY_INNER_URL', siteUrl),
          renderer: rendererInnerUrl,
          images: inner('IMAGES_INNER_URL', read.url('IMAGES_URL', 'http://images:8080')),
          actions: inner('ACTIONS_INNER_URL', read.url('ACTIONS_URL', 'http://actions:8080')),
        },
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
