// Opens what a gateway has once, whatever the number of its processes: the marks of the state store, the token, limits of
// clients, purges, the publishing of files, the check of certificates.

import type { AppBuild } from '@portico/shared/kit/config/app-build.ts'
import { openChannel, openMarks } from '@portico/shared/kit/feed/open-feed.ts'
import type { Log } from '@portico/shared/kit/observe/log.ts'
import type { InvalidationMessage } from '@portico/shared/wire/invalidation.ts'
import type { Registry } from '@prometheus-io/client'
import { type GatewayConfig, hasPageCache } from '../config.ts'
import {
  createPublisher,
  type FileStore,
  hashedFiles,
  keptPublicFiles,
  openFileStore,
  publishImageSizes,
  removeClosed,
  reportLeftOut,
} from '../files/files.ts'
import { type Changes, openChanges } from '../purge/purge.ts'
import { watchCertificates } from './certificates.ts'
import { type Control, MARKS_CLIENT, type OwnStackToken, openStackToken } from './stack-token.ts'
import { openState } from './state-redis.ts'

export { watchWaiting } from '../watch-waiting.ts'
export { createGatewayStatus, createServingFigures, mergeFigures, type ServingFigures } from './gateway-status.ts'
export { type Control, followStackToken, MARKS_CLIENT, type StackToken } from './stack-token.ts'

interface ControlParts {
  build: AppBuild
  registry: Registry
  log: Log
  /** Receives the messages of the invalidation channel. */
  apply: (message: InvalidationMessage) => unknown
}

export interface OpenedControl extends Control {
  changes: Changes
  /** The store of published files. */
  store: FileStore
  token: OwnStackToken
  close(): void
}

/** Connects in the background. */
export async function openControl(config: GatewayConfig, parts: ControlParts): Promise<OpenedControl> {
  const { build, registry, log, apply } = parts
  const store = await openFileStore(config, log)
  const token = await openStackToken(config, log)
  // Without a page cache nothing is out of date.
  const channel = hasPageCache(config) ? await openChannel(config, MARKS_CLIENT, apply) : undefined
  const marks = hasPageCache(config) && config.workers === 1 ? await openMarks(config, MARKS_CLIENT) : undefined
  const changes = openOwnChanges(config, build, token, log)
  const state = await openState(config, { token, registry, log })
  const certificates = config.certificates && watchCertificates({ ...config.certificates, registry, log })
  const publisher = openPublisher(build, store, log, config.isDevelopment)
  let published: Promise<void> | undefined
  return {
    marks,
    token,
    postLimit: state.postLimit,
    published() {
      published ??= publisher.start()
      return published
    },
    changes,
    store,
    close() {
      publisher.stop()
      channel?.close()
      changes.close()
      state.close()
      certificates?.close()
      token.close()
      store.close()
    },
  }
}

/** Under development no file of the app folder is kept. */
function openPublisher(build: AppBuild, store: FileStore, log: Log, isDevelopment: boolean) {
  if (isDevelopment) return createPublisher(hashedFiles(build), store, log)
  const { files, closed, leftOut } = keptPublicFiles(build)
  for (const [reason, entries] of leftOut) reportLeftOut(log, reason, entries)
  const finish = async () => {
    await removeClosed(store, closed)
    await publishImageSizes(store, build.manifest.images)
  }
  return createPublisher([...hashedFiles(build), ...files], store, log, finish)
}

/** The changes that this gateway publishes: purges. */
function openOwnChanges(config: GatewayConfig, { manifest }: AppBuild, token: OwnStackToken, log: Log): Changes {
  const { renderer, actions } = config.services
  const innerUrls = {
    gateway: config.gatewayInnerUrls,
    renderer: renderer.map(({ innerUrl }) => innerUrl),
    actions: actions.map(({ innerUrl }) => innerUrl),
  }
  return openChanges({ ...config, innerUrls, token: token.current, log, i18n: manifest.i18n })
}
