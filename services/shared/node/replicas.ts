// The replicas of one service: their addresses from the system's resolver, their health (asked and noticed), and the
// choice of one for a request (G2). Knows nothing of proxying: who sends a request tells begin, end and failure.

import type { Agent } from 'node:http'
import { createReplicaAgent } from './replica-agent.ts'
import { byHash, hashText, leastBusyOfTwo, ofBuild } from './replica-choice.ts'
import { type Health, healthOf, probedFacts, type ReplicaFacts, type ReplicaState } from './replica-health.ts'
import { lookupAll, type ProbeResult, probeReady } from './replica-probe.ts'
import { removeFrom } from './unordered.ts'

/** Addresses are looked up again this often. */
export const LOOKUP_INTERVAL_MS = 2000
/** Each replica is asked for /readyz this often … */
export const PROBE_INTERVAL_MS = 500
/** … and must answer within this time; two failures in a row put it out, so a frozen one is out after 2.5 s. */
export const PROBE_TIMEOUT_MS = 750
/** Requests that fail in a row before a replica is put out; a refused connection puts it out at once. */
const REQUEST_FAILURES = 3
/** First pause of a replica that failed requests; it doubles with each return that fails again. */
const FIRST_PAUSE_MS = 1000
const LONGEST_PAUSE_MS = 10_000

export type { ReplicaState } from './replica-health.ts'

export interface Replica {
  readonly address: string
  readonly port: number
  /** As in `10.0.0.7:8080`, for logs. */
  readonly name: string
  readonly agent: Agent
  /** Requests that were begun and have not ended. */
  readonly inFlight: number
  /** The build that it serves, as far as its answers told. */
  readonly build: string | undefined
}

interface Member extends Replica, ReplicaFacts {
  inFlight: number
  build: string | undefined
  readonly seed: number
  probed: ProbeResult | undefined
  probeFailures: number
  isProbing: boolean
  requestFailures: number
  pauses: number
  pausedUntil: number
  isRefused: boolean
  refusedAt: number
  isGone: boolean
  /** The state that was last told. */
  reported: ReplicaState
  waiting: (() => void)[]
}

export interface ReplicasOptions {
  /** Where the service answers; its host may resolve to many addresses. */
  url: URL
  /** Its port carries `/readyz` at each address. */
  innerUrl: URL
  lookup?: (host: string) => Promise<string[]>
  probe?: (address: string, port: number, timeoutMs: number) => Promise<ProbeResult>
  /** Milliseconds of a clock that never goes back. */
  now?: () => number
  random?: () => number
  /** Hears of each change of a replica's state. */
  onChange?: (replica: Replica, state: ReplicaState) => void
}

export interface ChooseOptions {
  /** A replica that failed this request already. */
  except?: Replica | undefined
  /** Requests with one key go to one replica while it is not overloaded. */
  key?: string | undefined
  /** Replicas that serve this build come first, then those that have not told theirs (G3). */
  build?: string | undefined
}

export interface Replicas {
  /** First look-up and first probes, then again and again until close. */
  start(): Promise<void>
  /** The best replica for a request; undefined when none is usable (or only the excepted one): see replica-health.ts. */
  choose(options?: ChooseOptions): Replica | undefined
  /** Looks names up and probes what is not ready, now: for requests that wait for a first ready replica. */
  hurry(): void
  /** Whether every known replica refuses connections: then waiting requests are refused, else the service is busy. */
  areRefused(): boolean
  /** Counts a request as running. `onOut` is called once if the replica goes out before `end` or `settle`. */
  begin(replica: Replica, onOut?: () => void): void
  /** The request's answer has begun: it is no longer called back. */
  settle(replica: Replica, onOut: () => void): void
  end(replica: Replica): void
  succeeded(replica: Replica): void
  /** An answer told which build the replica serves. */
  noteBuild(replica: Replica, build: string): void
  /** `refused`: nothing listens there or the connection timed out; `broken`: it ended before an answer began. */
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
  /** No longer known by name, with requests that have not ended. */
  let leaving: Member[] = []
  let timers: NodeJS.Timeout[] = []
  let isLookingUp = false
  let isClosed = false

  // The interface hands out Replica; every one of them was made here.
  const memberOf = (replica: Replica) => replica as Member

  const health = (member: Member): Health => healthOf(member, now())
  const stateOf = (member: Member): ReplicaState => health(member).state

  /** Called after all that may change a state, and at each probe, since a rest ends by time alone. */
  const reportChange = (member: Member) => {
    const state = stateOf(member)
    if (state === member.reported) return
    member.reported = state
    // It may come back as another process with another build.
    if (state !== 'ready') member.build = undefined
    options.onChange?.(member, state)
    // Requests that still wait at a dead replica are told, if another one could take them.
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
      // An empty answer is a resolver's hiccup more often than a service without replicas: the known ones stay.
      if (addresses.size === 0) return
      for (const member of members) if (!addresses.has(member.address)) retire(member)
      leaving = [...leaving, ...members].filter((member) => member.isGone && member.inFlight > 0)
      const fresh = [...addresses].filter((address) => !members.some((member) => member.address === address))
      const added = fresh.map((address) => createMember(address, port))
      members = [...members.filter((member) => !member.isGone), ...added]
      await Promise.all(added.map(probeMember))
    } catch {
      // The name does not resolve now: the known addresses stay, and it is asked again in two seconds.
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
          // What waits at a replica that leaves must hear if it never answers.
          for (const member of [...members, ...leaving])
            if (!member.isGone || member.inFlight > 0) void probeMember(member)
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
      if (member.isGone && member.inFlight === 0) member.agent.destroy()
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
      // Many requests that fail at one moment are one failure.
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

function createMember(address: string, port: number): Member {
  return {
    address,
    port,
    name: address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`,
    agent: createReplicaAgent(),
    inFlight: 0,
    build: undefined,
    seed: hashText(address),
    probed: undefined,
    probeFailures: 0,
    isProbing: false,
    requestFailures: 0,
    pauses: 0,
    pausedUntil: 0,
    isRefused: false,
    refusedAt: 0,
    isGone: false,
    reported: 'waiting',
    waiting: [],
  }
}

/** What runs there may finish; the last one to end closes the connections. */
function retire(member: Member): void {
  member.isGone = true
  if (member.inFlight === 0) member.agent.destroy()
}
