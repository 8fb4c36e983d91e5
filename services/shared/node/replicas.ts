// The replicas of one service: their addresses from the system's resolver, their health from probes and requests, and
// the choice of one for a request (G2). The caller, which proxies, reports begin, end and failure of each request.

import type { Agent } from 'node:http'
import { createReplicaAgent } from './replica-agent.ts'
import { byHash, hashText, leastBusyOfTwo, ofBuild } from './replica-choice.ts'
import { type Health, healthOf, probedFacts, type ReplicaFacts, type ReplicaState } from './replica-health.ts'
import { lookupAll, type ProbeResult, probeReady } from './replica-probe.ts'
import { removeFrom } from './unordered.ts'

/** Interval of address look-ups. */
export const LOOKUP_INTERVAL_MS = 2000
/** Interval of requests for /readyz to each replica … */
export const PROBE_INTERVAL_MS = 500
/** … and their time limit; two failures in a row eject a replica, so a frozen one is ejected after 2.5 s. */
export const PROBE_TIMEOUT_MS = 750
/** Failed requests in a row before a replica is ejected; a refused connection ejects the replica immediately. */
const REQUEST_FAILURES = 3
/** First pause of a replica that failed requests; each failure after a pause doubles the next pause. */
const FIRST_PAUSE_MS = 1000
const LONGEST_PAUSE_MS = 10_000

export type { ReplicaState } from './replica-health.ts'

export interface Replica {
  readonly address: string
  readonly port: number
  /** Address and port, for example `10.0.0.7:8080`, for logs. */
  readonly name: string
  readonly agent: Agent
  /** Requests that have begun and not ended. */
  readonly inFlight: number
  /** The build that the replica serves, as reported by its responses. */
  readonly build: string | undefined
  /** Time of the last change of state, by the clock of `ReplicasOptions.now`. */
  readonly since: number
}

interface Member extends Replica, ReplicaFacts {
  inFlight: number
  build: string | undefined
  since: number
  readonly seed: number
  probed: ProbeResult | undefined
  probeFailures: number
  isProbing: boolean
  requestFailures: number
  pauses: number
  pausedUntil: number
  isRefused: boolean
  refusedAt: number
  isRemoved: boolean
  /** The state that was last reported. */
  reported: ReplicaState
  waiting: (() => void)[]
}

export interface ReplicasOptions {
  /** Address of the service; its host may resolve to many addresses. */
  url: URL
  /** The port of `/readyz` at each address. */
  innerUrl: URL
  lookup?: (host: string) => Promise<string[]>
  probe?: (address: string, port: number, timeoutMs: number) => Promise<ProbeResult>
  /** Milliseconds of a monotonic clock. */
  now?: () => number
  random?: () => number
  /** Called for each change of a replica's state. */
  onChange?: (replica: Replica, state: ReplicaState) => void
}

export interface ChooseOptions {
  /** A replica that already failed this request. */
  except?: Replica | undefined
  /** Requests with one key are sent to one replica while the replica is not overloaded. */
  key?: string | undefined
  /** Replicas that serve this build are preferred, then those whose build is unknown (G3). */
  build?: string | undefined
}

export interface Replicas {
  /** Looks up and probes; resolves after the first round, repeats until close. */
  start(): Promise<void>
  /**
   * The best replica for a request; undefined when none is usable (or only the excepted one): see replica-health.ts.
   */
  choose(options?: ChooseOptions): Replica | undefined
  /**
   * Looks names up and probes replicas that are not ready, immediately: for requests that wait for the first ready one.
   */
  hurry(): void
  /** Whether every known replica refuses connections: then waiting requests are refused, else the service is busy. */
  areRefused(): boolean
  /** Counts a request as running. `onOut` is called once if the replica is ejected before `end` or `settle`. */
  begin(replica: Replica, onOut?: () => void): void
  /** The response to the request has begun: `onOut` will not be called. */
  settle(replica: Replica, onOut: () => void): void
  end(replica: Replica): void
  succeeded(replica: Replica): void
  /** A response reported the build that the replica serves. */
  noteBuild(replica: Replica, build: string): void
  /**
   * `refused`: no process listens or the connection timed out; `broken`: the connection ended before a response began.
   */
  failed(replica: Replica, how: 'refused' | 'broken'): void
  stateOf(replica: Replica): ReplicaState
  list(): readonly Replica[]
  readyCount(): number
  close(): void
}

/** Follows the replicas of one service. */
export function createReplicas(options: ReplicasOptions): Replicas {
  const { url, innerUrl, lookup = lookupAll, probe = probeReady, random = Math.random } = options
  const now = options.now ?? (() => performance.now())
  const port = Number(url.port) || 80
  const innerPort = Number(innerUrl.port) || 80
  const host = url.hostname.replace(/^\[|\]$/g, '')
  let members: Member[] = []
  /** Removed from the name, with requests that have not ended. */
  let leaving: Member[] = []
  let timers: NodeJS.Timeout[] = []
  let isLookingUp = false
  let isClosed = false

  // The interface returns members as Replica; createMember created every one of them.
  const memberOf = (replica: Replica) => replica as Member

  const health = (member: Member): Health => healthOf(member, now())
  const stateOf = (member: Member): ReplicaState => health(member).state

  /** Called after every event that can change a state, and at each probe, because a pause ends by time alone. */
  const reportChange = (member: Member) => {
    const state = stateOf(member)
    if (state === member.reported) return
    member.reported = state
    member.since = now()
    // The address may return as another process with another build.
    if (state !== 'ready') member.build = undefined
    options.onChange?.(member, state)
    // Requests that wait at an ejected replica are notified if another replica is ready.
    if ((state !== 'failed' && state !== 'resting') || !members.some((other) => stateOf(other) === 'ready')) return
    const { waiting } = member
    member.waiting = []
    for (const onOut of waiting) onOut()
  }

  const probeMember = async (member: Member): Promise<void> => {
    if (member.isProbing) return
    member.isProbing = true
    const startedAt = now()
    const result = await probe(member.address, innerPort, PROBE_TIMEOUT_MS).catch(() => 'failed' as const)
    member.isProbing = false
    Object.assign(member, probedFacts(member, result, startedAt >= member.refusedAt))
    reportChange(member)
  }

  const lookUp = async (): Promise<void> => {
    if (isLookingUp || isClosed) return
    isLookingUp = true
    try {
      const addresses = new Set(await lookup(host))
      if (isClosed) return
      // An empty response is more often a resolver's hiccup than a service without replicas: the known addresses are
      // kept.
      if (addresses.size === 0) return
      for (const member of members) if (!addresses.has(member.address)) retire(member)
      leaving = [...leaving, ...members].filter((member) => member.isRemoved && member.inFlight > 0)
      const fresh = [...addresses].filter((address) => !members.some((member) => member.address === address))
      const added = fresh.map((address) => createMember(address, port, now()))
      members = [...members.filter((member) => !member.isRemoved), ...added]
      await Promise.all(added.map(probeMember))
    } catch {
      // The name does not resolve: the known addresses are kept, and the next look-up is in two seconds.
    } finally {
      isLookingUp = false
    }
  }

  const choose = ({ except, key, build }: ChooseOptions = {}): Replica | undefined => {
    if (members.length === 1) {
      const [only] = members
      return only === except || health(only!).rank === undefined ? undefined : only
    }
    let best: Member[] = []
    let bestRank = Number.POSITIVE_INFINITY
    for (const member of members) {
      if (member === except) continue
      const { rank } = health(member)
      if (rank === undefined || rank > bestRank) continue
      if (rank < bestRank) {
        best = []
        bestRank = rank
      }
      best.push(member)
    }
    const fitting = build !== undefined && bestRank === 0 ? ofBuild(best, build) : best
    return key === undefined ? leastBusyOfTwo(fitting, random) : byHash(fitting, key)
  }

  return {
    async start() {
      await lookUp()
      if (isClosed) return
      timers = [
        setInterval(() => void lookUp(), LOOKUP_INTERVAL_MS),
        setInterval(() => {
          // Requests at a removed replica must be notified if the replica never responds.
          for (const member of [...members, ...leaving])
            if (!member.isRemoved || member.inFlight > 0) void probeMember(member)
        }, PROBE_INTERVAL_MS),
      ]
      for (const timer of timers) timer.unref()
    },
    choose,
    hurry() {
      void lookUp()
      for (const member of members) if (stateOf(member) !== 'ready') void probeMember(member)
    },
    areRefused: () =>
      members.length > 0 &&
      members.every(({ probed, isRefused }) => probed === 'refused' || (isRefused && probed !== 'not-ready')),
    begin(replica, onOut) {
      const member = memberOf(replica)
      member.inFlight++
      if (onOut) member.waiting.push(onOut)
    },
    settle: (replica, onOut) => removeFrom(memberOf(replica).waiting, onOut),
    end(replica) {
      const member = memberOf(replica)
      member.inFlight--
      if (member.isRemoved && member.inFlight === 0) member.agent.destroy()
    },
    noteBuild(replica, build) {
      memberOf(replica).build = build
    },
    succeeded(replica) {
      const member = memberOf(replica)
      member.requestFailures = 0
      member.pauses = 0
      member.isRefused = false
    },
    failed(replica, how) {
      const member = memberOf(replica)
      member.requestFailures++
      if (how === 'broken' && member.requestFailures < REQUEST_FAILURES) return
      if (how === 'refused') Object.assign(member, { isRefused: true, refusedAt: now() })
      member.requestFailures = 0
      // Many requests that fail at the same moment count as one failure.
      if (member.pausedUntil <= now()) {
        member.pausedUntil = now() + Math.min(FIRST_PAUSE_MS * 2 ** member.pauses, LONGEST_PAUSE_MS)
        member.pauses++
      }
      reportChange(member)
      void lookUp()
    },
    stateOf: (replica) => stateOf(memberOf(replica)),
    list: () => members,
    readyCount: () => members.filter((member) => stateOf(member) === 'ready').length,
    close() {
      isClosed = true
      for (const timer of timers) clearInterval(timer)
      for (const member of members) member.agent.destroy()
    },
  }
}

function createMember(address: string, port: number, now: number): Member {
  return {
    address,
    port,
    name: address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`,
    agent: createReplicaAgent(),
    inFlight: 0,
    build: undefined,
    since: now,
    seed: hashText(address),
    probed: undefined,
    probeFailures: 0,
    isProbing: false,
    requestFailures: 0,
    pauses: 0,
    pausedUntil: 0,
    isRefused: false,
    refusedAt: 0,
    isRemoved: false,
    reported: 'waiting',
    waiting: [],
  }
}

/** Requests at a removed replica may finish; the end of the last one closes the connections. */
function retire(member: Member): void {
  member.isRemoved = true
  if (member.inFlight === 0) member.agent.destroy()
}
