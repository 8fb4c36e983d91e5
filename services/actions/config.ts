// The actions service's settings; the only reader of its environment (W5).

import {
  type Environment,
  type Reader,
  readCommon,
  readConfig,
  readFolders,
} from '@portico/shared/kit/config/config.ts'
import { readInnerUrls } from '@portico/shared/kit/config/service-addresses.ts'
import { readRedisUrl } from '@portico/shared/kit/store/read-redis-url.ts'
import { readStackAddresses } from '@portico/shared/kit/store/stack-addresses.ts'

export type ActionsConfig = ReturnType<typeof readActionsConfig>

/** Reads the environment. Throws ConfigError with all faults. */
export function readActionsConfig(environment: Environment, warn: (message: string) => void = () => {}) {
  return readConfig(
    environment,
    (read) => {
      const common = readCommon(read)
      const siteUrl = read.url('SITE_URL')
      const actionKeys = read.list('ACTION_KEYS')
      if (actionKeys.some((key) => key.length < 32)) read.refuse('ACTION_KEYS')
      const hasCdnTags = read.oneOf('CDN_TAGS', ['on', 'off']) === 'on'
      return {
        ...common,
        /** Source of the site's public values. */
        environment,
        /** What PORT is for code of the site. */
        appPort: read.stack.appPort ?? common.port,
        rendererInnerUrls: readInnerUrls(read, 'renderer', read.urls('RENDERER_URL'), common.innerPort),
        actionsInnerUrls: readInnerUrls(read, 'actions', read.urls('ACTIONS_URL'), common.innerPort),
        gatewayInnerUrls: readInnerUrls(read, 'gateway', [siteUrl], common.innerPort),
        siteUrl,
        stateRedisUrl: readRedisUrl(read, 'STATE'),
        ...readFolders(read),
        publicOrigins: read.origins('PUBLIC_ORIGINS'),
        actionKeys,
        stackToken: read.optionalText('STACK_TOKEN', 32),
        hasCdnTags,
        cdnPurge: readCdnPurge(read, hasCdnTags),
      }
    },
    warn,
  )
}

export type SecretsConfig = ReturnType<typeof readSecretsConfig>

/** Settings of the secrets command, those of an actions service. Throws ConfigError with all faults. */
export function readSecretsConfig(environment: Environment = process.env) {
  return readConfig(environment, (read) => {
    const { dataDir } = readFolders(read)
    const isSet = {
      'stack-token': read.optionalText('STACK_TOKEN', 32) !== undefined,
      'action-key': read.list('ACTION_KEYS').length > 0,
    }
    return {
      dataDir,
      stateRedisUrl: readRedisUrl(read, 'STATE'),
      /** A stack of `portico start` runs here, whose secrets are files also where it uses a Redis. */
      hasLocalStack: readStackAddresses(dataDir) !== undefined,
      /** The secrets that no setting gives. */
      names: (['stack-token', 'action-key'] as const).filter((name) => !isSet[name]),
    }
  })
}

/** Undefined where no changes are sent to a CDN. */
function readCdnPurge(read: Reader, hasCdnTags: boolean) {
  const url = read.optionalUrl('CDN_PURGE_URL', ['http:', 'https:'])
  // Without tags on the pages a purge has no effect; fetch refuses addresses with a user.
  if (url && (!hasCdnTags || url.username !== '' || url.password !== '')) read.refuse('CDN_PURGE_URL')
  const authorization = read.optionalText('CDN_PURGE_AUTHORIZATION')
  if (authorization !== undefined && !/^[\x20-\x7e]+$/.test(authorization)) read.refuse('CDN_PURGE_AUTHORIZATION')
  return url && { url, authorization }
}
