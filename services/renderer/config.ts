// The renderer's settings; only this file of the renderer reads the environment.

import { type Environment, readCommon, readConfig, readFolders } from '@portico/shared/kit/config/config.ts'
import { readRedisUrl } from '@portico/shared/kit/store/read-redis-url.ts'

export type RendererConfig = ReturnType<typeof readRendererConfig>

/** Throws ConfigError with all faults. */
export function readRendererConfig(environment: Environment, warn?: (message: string) => void) {
  return readConfig(
    environment,
    (read) => {
      const common = readCommon(read)
      return {
        ...common,
        /** Source of the site's public values. */
        environment,
        /** What PORT is for code of the site. */
        appPort: read.stack.appPort ?? common.port,
        actionsUrls: read.urls('ACTIONS_URL'),
        siteUrl: read.url('SITE_URL'),
        stateRedisUrl: readRedisUrl(read, 'STATE'),
        ...readFolders(read),
        actionKeys: read.list('ACTION_KEYS'),
        stackToken: read.optionalText('STACK_TOKEN', 32),
        publicOrigins: read.origins('PUBLIC_ORIGINS'),
        // Development only.
        editor: read.text('EDITOR'),
      }
    },
    warn,
  )
}
