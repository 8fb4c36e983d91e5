// The hosts outside of the site to which rewrites lead (X4): each with its connections, as a pool of one replica, so that
// the proxy treats a request to them as one to a service.

import { Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import type { Socket } from 'node:net'
import { createGuardedLookup, isLiteralRefused, type Resolve } from '@portico/shared/kit/addresses/address-guard.ts'
import { plainHost } from '@portico/shared/kit/addresses/plain-host.ts'
import type { Log } from '@portico/shared/kit/observe/log.ts'
import type { Manifest, RewriteOrigin } from '@portico/shared/wire/build-output.ts'
import { splitFixedOrigin } from '@portico/shared/wire/patterns/destination.ts'
import { closeIdleConnections, createConnecting } from './agent.ts'
import { NEW_MEMBER } from './member-state.ts'
import { IN_FLIGHT_LIMIT, type Replica, type Replicas } from './service-replicas.ts'

/** What the proxy needs of the replicas of a service. */
export type ReplicaPool = Pick<Replicas, 'choose' | 'hurry' | 'areRefused' | 'begin' | 'end' | 'succeeded' | 'failed'>

export interface ExternalHost {
  readonly origin: string
  /** The value of the Host header. */
  readonly host: string
  readonly passes: RewriteOrigin
  readonly pool: ReplicaPool
  readonly replica: Replica & { readonly isSecure: boolean }
  /** Looks addresses up, and refuses those that are not public. */
  readonly lookup: ReturnType<typeof createGuardedLookup>
  /** The address is not public, and no setting allows it. */
  readonly isRefused: boolean
}

interface ExternalHostsDeps {
  manifest: Pick<Manifest, 'rewrites' | 'rewriteOrigins'>
  /** Hosts, with or without port, that may have addresses that are not public. */
  innerHosts: readonly string[]
  log: Pick<Log, 'warn'>
  /** Replaces the resolver of the system; for tests. */
  resolve?: Resolve | undefined
  /** Requests that may run at one host at the same time. */
  inFlightLimit?: number | undefined
}

/** Many servers close idle connections after five seconds; the agent closes them first, so that no POST meets the end. */
const IDLE_CONNECTION_MS = 4000

const NOTHING: RewriteOrigin = { cookies: [], authorization: false }

/** Prepares the hosts of all rewrites. */
export function createExternalHosts(deps: ExternalHostsDeps): ReadonlyMap<string, ExternalHost> {
  const { manifest, log } = deps
  const hosts = new Map<string, ExternalHost>()
  const named = manifest.rewrites.map(({ destination }) => splitFixedOrigin(destination)?.origin)
  // To those of `rewriteOrigins` middleware may rewrite, without a rule.
  for (const origin of [...named, ...Object.keys(manifest.rewriteOrigins)]) {
    if (origin === undefined || hosts.has(origin)) continue
    const host = createHost(origin, deps)
    hosts.set(origin, host)
    if (host.isRefused)
      log.warn(
        { event: 'rewrite-host', origin },
        'rewrites lead to an inner address that REWRITE_INNER_HOSTS does not name',
      )
  }
  return hosts
}

function createHost(origin: string, deps: ExternalHostsDeps): ExternalHost {
  const { manifest, innerHosts, resolve, inFlightLimit = IN_FLIGHT_LIMIT } = deps
  const url = new URL(origin)
  const isSecure = url.protocol === 'https:'
  const port = Number(url.port || (isSecure ? 443 : 80))
  const isInner = innerHosts.some((name) => [url.hostname, `${url.hostname}:${port}`].includes(name.toLowerCase()))
  // SECURITY: a host name of the author may have the address of an inner service, today or at the next look-up. The
  // connection goes to the address that was checked.
  const lookup = createGuardedLookup(isInner, resolve)
  const options = { keepAlive: true, timeout: IDLE_CONNECTION_MS, lookup }
  const agent = isSecure ? new HttpsAgent(options) : new HttpAgent(options)
  passConnectionsOnceMade(agent)
  const replica = {
    address: plainHost(url.hostname),
    port,
    innerPort: 0,
    name: origin,
    source: { url, innerUrl: url },
    agent,
    isSecure,
    inFlight: 0,
    inFlightLimit,
    since: 0,
    seed: 0,
    state: NEW_MEMBER,
  } satisfies Replica
  const { [origin]: passes = NOTHING } = manifest.rewriteOrigins
  // A literal address is not looked up.
  const isRefused = !isInner && isLiteralRefused(url.hostname)
  return { origin, host: url.host, passes, pool: poolOf(replica), replica, lookup, isRefused }
}

/** As those to replicas: a body that no connection takes is not read. */
function passConnectionsOnceMade(agent: HttpAgent): void {
  const { passOnceMade } = createConnecting()
  const connect = agent.createConnection.bind(agent)
  agent.createConnection = (options, passOn) => {
    passOnceMade(connect(options) as Socket, passOn!)
    return undefined
  }
}

function poolOf(replica: Replica & { inFlight: number }): ReplicaPool {
  return {
    choose: ({ except } = {}) => (except ? undefined : replica),
    hurry() {},
    areRefused: () => true,
    begin: () => void replica.inFlight++,
    end: () => void replica.inFlight--,
    succeeded() {},
    failed(_replica, how) {
      if (how === 'stale') closeIdleConnections(replica.agent)
    },
  }
}
