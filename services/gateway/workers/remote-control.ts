// The control of a worker: calls to the primary, each with a time limit; only the marks it reads itself.

import { openMarks } from '@portico/shared/kit/feed/open-feed.ts'
import { createClientLimit } from '@portico/shared/kit/limits/client-limit.ts'
import type { Log } from '@portico/shared/kit/observe/log.ts'
import { type GatewayConfig, hasPageCache } from '../config.ts'
import { type Control, MARKS_CLIENT } from '../control/control.ts'
import { followStackToken, type StackToken } from '../control/stack-token.ts'
import type { Calls } from './calls.ts'
import type { PrimaryCalls } from './wire.ts'

const LOOKUP_LIMIT_MS = 10_000
/** After the time limit of the probe itself. */
const PROBE_GRACE_MS = 600
const TOKEN_LIMIT_MS = 1500
/** The primary waits 50 ms for Redis. */
const TURN_LIMIT_MS = 250
/** The store of published files has its own limits for each file. */
const PUBLISHED_LIMIT_MS = 300_000

interface RemoteControl extends Control {
  token: StackToken
}

export async function openRemoteControl(
  config: GatewayConfig,
  { call }: Pick<Calls<PrimaryCalls>, 'call'>,
  log: Log,
): Promise<RemoteControl> {
  const { stackToken, postsPerMinute } = config
  const token =
    stackToken === undefined
      ? await followStackToken({ load: () => call('token', undefined, TOKEN_LIMIT_MS), isFixed: false, log })
      : { current: () => stackToken, close() {} }
  const takeShared = (network: string) =>
    // Without the primary each worker counts for itself.
    call('takeTurn', network, TURN_LIMIT_MS).catch(() => undefined)
  return {
    // Not by a call: pages are trusted for half a second after a read of the marks began.
    marks: hasPageCache(config) ? await openMarks(config, MARKS_CLIENT) : undefined,
    lookup: (host) => call('lookup', host, LOOKUP_LIMIT_MS),
    probe: (address, port, timeoutMs, relying) =>
      call('probe', { address, port, timeoutMs, relying }, timeoutMs + PROBE_GRACE_MS),
    token,
    postLimit: postsPerMinute === 0 ? undefined : createClientLimit({ perMinute: postsPerMinute, takeShared }),
    published: () => call('published', undefined, PUBLISHED_LIMIT_MS),
  }
}
