// The actions service's settings; the only reader of its environment (W5).

import {
  type Environment,
  readCommon,
  readConfig,
  readFolders,
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
      const rendererUrl = read.url('RENDERER_URL')
      const siteUrl = read.url('SITE_URL')
      const actionKeys = read.list('ACTION_KEYS')
      if (actionKeys.some((key) => key.length < 32)) read.refuse('ACTION_KEYS')
      return {
        ...common,
        /** Source of the site's public values. */
        environment,
        rendererInnerUrl: readInnerUrl(read, 'RENDERER_INNER_URL', rendererUrl, common.innerPort),
        actionsInnerUrl: readInnerUrl(read, 'ACTIONS_INNER_URL', read.url('ACTIONS_URL'), common.innerPort),
        gatewayInnerUrl: readInnerUrl(read, 'GATEWAY_INNER_URL', siteUrl, common.innerPort),
        siteUrl,
        stateRedisUrl: readRedisUrl(read, 'STATE'),
        dataDir: readFolders(read).dataDir,
        publicOrigins: read.origins('PUBLIC_ORIGINS'),
        actionKeys,
        stackToken: read.optionalText('STACK_TOKEN', 32),
        isStackStatusOn: read.oneOf('STACK_STATUS', ['on', 'off']) === 'on',
      }
    },
    warn,
  )
}
