// Follows the app folder under development by the feed of its renderer (services/renderer/dev/dev-feed.ts): each state of the
// sources, as soon as there is one. All other services follow it.

import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseManifest } from '../../wire/build-output.ts'
import { DEV_INNER_PATHS, type DevFeedRequest, type DevUpdate } from '../../wire/dev/dev-inner.ts'
import { plainHost } from '../addresses/plain-host.ts'
import type { AppBuild } from '../config/app-build.ts'
import { portOf } from '../config/service-addresses.ts'
import { createInnerClient, type InnerPlace } from '../inner/inner-client.ts'
import type { Log } from '../observe/log.ts'

/** The renderer reads the folder within two seconds; the first start in a container installs packages, too. */
const FIRST_WAIT_MS = 60_000
/** The renderer may be starting, or starting again. */
const PAUSE_MS = 50
/** The feed responds earlier, with the same state. */
const RESPONSE_LIMIT_MS = 60_000
/** More than the manifest of the largest folder, and the files of one change. */
const RESPONSE_LIMIT_BYTES = 64 * 1024 * 1024

export interface FollowedFolder {
  appDir: string
  /** Inner port of the renderer. */
  devFeedUrl: URL | undefined
  stackToken: string | undefined
}

export interface DevFollower {
  /**
   * The current build of the folder: public files are the app folder's own, no file is hashed. It is another object only when
   * the manifest is another.
   */
  current(): AppBuild
  /** Its inner port. */
  renderer: InnerPlace
  close(): void
}

/**
 * Waits for the first state. `name` is the service's own. `onUpdate` receives each state before the renderer says it to
 * browsers, the first one, too. While the renderer starts again the last state remains. Rejects after 60 s without a state.
 */
export async function followDevBuild(
  { appDir, devFeedUrl, stackToken, name, log }: FollowedFolder & { name: string; log: Pick<Log, 'warn'> },
  onUpdate: (update: DevUpdate) => void = () => {},
): Promise<DevFollower> {
  if (!devFeedUrl) throw new Error('PORTICO_STACK: innerUrls.renderer must be the inner port of the renderer')
  if (!stackToken) throw new Error('STACK_TOKEN must be set under development')
  const limits = { timeoutMs: RESPONSE_LIMIT_MS, limitBytes: RESPONSE_LIMIT_BYTES }
  const client = createInnerClient({ token: () => stackToken, ...limits })
  const renderer = { address: plainHost(devFeedUrl.hostname), innerPort: portOf(devFeedUrl) }
  const closing = new AbortController()
  const { signal } = closing
  let seen: DevFeedRequest = { name, revision: -1, version: -1 }
  let text: string | undefined
  let build: AppBuild | undefined
  /** Returns the fault of a request that failed. */
  const next = async (): Promise<Error | undefined> => {
    const json = JSON.stringify(seen)
    const result = await client.send(renderer, { path: DEV_INNER_PATHS.feed, json, isRepeatable: true, signal })
    if (result.kind === 'fault') return result.error
    const update = JSON.parse(result.bytes.toString()) as DevUpdate
    if (update.revision === seen.revision) return undefined
    const given = JSON.stringify(update.manifest)
    if (given !== text) build = { dir: resolve(appDir), manifest: parseManifest(update.manifest) }
    text = given
    seen = { name, revision: update.revision, version: update.version }
    onUpdate(update)
    return undefined
  }
  const follow = async () => {
    while (!signal.aborted) if (await next()) await sleep(PAUSE_MS)
  }
  const startedAt = performance.now()
  for (let fault = await next(); !build; fault = await next()) {
    if (performance.now() - startedAt > FIRST_WAIT_MS)
      throw new Error(
        `the renderer has not reported the app folder within ${FIRST_WAIT_MS / 1000} s: ${fault?.message}`,
      )
    await sleep(PAUSE_MS)
  }
  follow().catch((error: unknown) => log.warn({ error }, 'the app folder is not followed any more'))
  return {
    current: () => build!,
    renderer,
    close() {
      closing.abort()
      client.close()
    },
  }
}
