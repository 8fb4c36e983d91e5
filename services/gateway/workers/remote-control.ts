// The control of a worker: each call goes to the primary, with a time limit.

import { createClientLimit } from '@portico/shared/kit/limits/client-limit.ts'
import type { Log } from '@portico/shared/kit/observe/log.ts'
import type { GatewayConfig } from '../config.ts'
import type { Control } from '../control/control.ts'
import { followStackToken, type StackToken } from '../control/stack-token.ts'
import type { Calls } from './calls.ts'
import type { PrimaryCalls } from './wire.ts'

const READ_LIMIT_MS = 1000
const LOOKUP_LIMIT_MS = 10_000
/** After the time limit of the probe itself. */
const PROBE_GRACE_MS = 600
const TOKEN_LIMIT_MS = 1500
/** The primary waits 50 ms for Redis. */
const TURN_LIMIT_MS = 250
/** The store of published files has its own limits for each file. */
const PUBLISHED_LIMIT_MS = 300_000

export interface RemoteControl extends Control {
  token: StackToken
}

export async function openRemoteControl(
  { stackToken, postsPerMinute }: Pick<GatewayConfig, 'stackToken' | 'postsPerMinute'>,
  { call }: Pick<Calls<PrimaryCalls>, 'call'>,
  log: Log,
): Promise<RemoteControl> {
  const token = await followStackToken({ stackToken, load: () => call('token', undefined, TOKEN_LIMIT_MS), log })
  const takeShared = (network: string) =>
    // Without the primary each worker counts for itself.
    call('takeTurn', network, TURN_LIMIT_MS).catch(() => undefined)
  return {
    readMarks: (since) => call('readMarks', since, READ_LIMIT_MS),
    lookup: (host) => call('lookup', host, LOOKUP_LIMIT_MS),
    probe: (address, port, timeoutMs) => call('probe', { address, port, timeoutMs }, timeoutMs + PROBE_GRACE_MS),
    token,
    postLimit: postsPerMinute === 0 ? undefined : createClientLimit({ perMinute: postsPerMinute, takeShared }),
    published: () => call('published', undefined, PUBLISHED_LIMIT_MS),
  }
}
