// The replicas of one service (G2): membership.ts knows their addresses, member-state.ts their health, choice.ts chooses
// one for a request. This file runs the timers and performs the effects; the proxy reports each request.

import type { Agent } from 'node:http'
import type { ServiceAddress } from '@portico/shared/kit/config/service-addresses.ts'
import { removeFrom } from '@portico/shared/kit/http/unordered.ts'
import { replicaOut } from '@portico/shared/kit/inner/faults.ts'
import { lookupAll, type Probe, probeReady } from '@portico/shared/kit/life/replica-probe.ts'
import { MOST_RESTING_SHARE } from '@portico/shared/wire/constants.ts'
import { closeIdleConnections, createReplicaAgent, type ReplicaAgent } from './agent.ts'
import { type Candidate, type ChoiceOptions, chooseMember, hashText, isReadyOf } from './choice.ts'
import {
  createTallies,
  healthOf,
  isServing,
  type MemberEffect,
  type MemberEvent,
  type MemberState,
  NEW_MEMBER,
  type ReplicaState,
  type RequestFailure,
  reduceMember,
  refusesConnections,
  type Tallies,
} from './member-state.ts'
import { createMembership, type Membership, type Place } from './membership.ts'

/** Interval of address look-ups. */
export const LOOKUP_INTERVAL_MS = 2000
/** Interval of requests for /readyz to each replica … */
export const PROBE_INTERVAL_MS = 500
/** … and their time limit. A late probe alone ejects no replica: see FROZEN_AFTER_MS. */
export const PROBE_TIMEOUT_MS = 750

/** Requests that one gateway runs at one replica at the same time; more would only wait and hold memory. */
export const IN_FLIGHT_LIMIT = 4096

export interface Replica extends Candidate, Place {
  readonly agent: Agent
  /** https, which no service has. */
  readonly isSecure?: boolean
  /** Requests that have begun and not ended … */
  readonly inFlight: number
  /** … and how many may run at the same time. */
  readonly inFlightLimit: number
  /** Time of the last change of state, by the clock of `ReplicasOptions.now`. */
  readonly since: number
}

interface Member extends Replica {
  readonly agent: ReplicaAgent
  inFlight: number
  since: number
  state: MemberState
  isProbing: boolean
  isRemoved: boolean
  /** When a byte of a response last arrived; bytes of the agent that are known. */
  heardAt: number
  heardBytes: number
  readonly tallies: Tallies
  waiting: OnEjected[]
  /** The process at the address when the resolver last returned the address. */
  listed: string | undefined
}

/** `frozen`: another replica is ready. `given-up`: none is. */
export type OnEjected = (why: 'frozen' | 'given-up') => void

export interface ReplicasOptions {
  /** The addresses of the service; each host may resolve to many. */
  addresses: readonly ServiceAddress[]
  lookup?: (host: string) => Promise<string[]>
  probe?: (address: string, port: number, timeoutMs: number, relying?: string) => Promise<Probe>
  /** The build of the gateway, where replicas are of builds: probes tell a replica when the gateway has no other (O12). */
  build?: string
  /** The gateway is about to stop: it relies on no replica any more. */
  isLeaving?: () => boolean
  /** Milliseconds of a monotonic clock. */
  now?: () => number
  random?: () => number
  /** Requests that this process may run at one replica at the same time (default IN_FLIGHT_LIMIT). */
  inFlightLimit?: number
  /** Time limit for connecting to a replica. */
  connectTimeoutMs?: number
  /** No replica is given up: under development one is silent while it compiles (V4). */
  isPatient?: boolean
  /** Called for each change of a replica's state. */
  onChange?: (replica: Replica, state: ReplicaState) => void
}

export interface Replicas {
  /** Looks up and probes; resolves after the first round, repeats until close. */
  start(): Promise<void>
  /** The best replica for a request; undefined when none is usable (or only the excepted one). */
  choose(options?: ChoiceOptions<Replica>): Replica | undefined
  /**
   * Looks names up and probes replicas that are not ready, immediately: for requests that wait for the first ready one.
   */
  hurry(): void
  /**
   * Whether every known replica refuses connections and the service was never ready: then waiting requests are refused.
   * Else the service is busy or starts again.
   */
  areRefused(): boolean
  /**
   * Counts a request as running. `onEjected` is called when the replica is ejected before `end`; a request whose connection is
   * not made yet fails instead.
   */
  begin(replica: Replica, onEjected?: OnEjected): void
  end(replica: Replica, onEjected?: OnEjected): void
  /** A response began. */
  succeeded(replica: Replica): void
  /** Bytes of a response arrived on a connection that is not of the replica's agent. */
  heard(replica: Replica): void
  failed(replica: Replica, how: RequestFailure): void
  stateOf(replica: Replica): ReplicaState
  list(): readonly Replica[]
  close(): void
}

/** Follows the replicas of one service. */
export function createReplicas(options: ReplicasOptions): Replicas {
  const { addresses, lookup = lookupAll, random = Math.random, now = () => performance.now() } = options
  const { inFlightLimit = IN_FLIGHT_LIMIT } = options
  /** No longer members, with requests that have not ended. */
  let removed: Member[] = []
  let timers: NodeJS.Timeout[] = []
  let isClosed = false
  const noteListed = (member: Member) => {
    member.listed = member.state.instance
  }
  const membership: Membership<Member> = createMembership({
    addresses,
    lookup,
    create: (place) => createMember(place, createReplicaAgent(options.connectTimeoutMs), inFlightLimit, now()),
    async onAdded(member) {
      await runner.probe(member)
      noteListed(member)
    },
    onListed: noteListed,
    // SECURITY: an address that the resolver dropped may be given to a container of another service, which responds, too.
    responds: ({ state, listed }) =>
      state.instance !== undefined && state.instance === listed && isServing(state, now()),
    onRemoved(member) {
      member.isRemoved = true
      member.agent.leaveConnecting(replicaOut())
      // Requests at a removed replica may finish; the end of the last one closes the connections.
      if (member.inFlight === 0) member.agent.destroy()
      else removed.push(member)
    },
  })

  const runner = createRunner(options, now, membership)

  // The interface returns members as Replica; createMember created every one of them.
  const memberOf = (replica: Replica) => replica as Member
  const stateOf = (replica: Replica): ReplicaState => healthOf(replica.state, now()).state

  function probeAll() {
    removed = removed.filter(({ inFlight }) => inFlight > 0)
    // Requests at a removed replica must be notified if the replica never responds.
    for (const member of [...membership.list(), ...removed]) void runner.probe(member)
  }

  return {
    async start() {
      await membership.lookUp()
      if (isClosed) return
      timers = [
        setInterval(() => void membership.lookUp(), LOOKUP_INTERVAL_MS).unref(),
        setInterval(probeAll, PROBE_INTERVAL_MS).unref(),
      ]
    },
    choose: (choice = {}) => chooseMember<Replica>(membership.list(), choice, now(), random),
    hurry() {
      void membership.lookUp()
      for (const member of membership.list()) if (stateOf(member) !== 'ready') void runner.probe(member)
    },
    areRefused() {
      const members = membership.list()
      return !runner.wasReady() && members.length > 0 && members.every(({ state }) => refusesConnections(state))
    },
    begin(replica, onEjected) {
      const member = memberOf(replica)
      member.inFlight++
      if (onEjected) member.waiting.push(onEjected)
    },
    end(replica, onEjected) {
      const member = memberOf(replica)
      if (onEjected) removeFrom(member.waiting, onEjected)
      member.inFlight--
      if (member.isRemoved && member.inFlight === 0) member.agent.destroy()
    },
    succeeded: (replica) => runner.succeeded(memberOf(replica)),
    heard(replica) {
      memberOf(replica).heardAt = now()
    },
    failed: (replica, how) => runner.failed(memberOf(replica), how),
    stateOf,
    list: membership.list,
    close() {
      isClosed = true
      membership.close()
      for (const timer of timers) clearInterval(timer)
      for (const member of membership.list()) member.agent.destroy()
    },
  }
}

/** Reports events to the state of each member, and performs the effects. */
function createRunner(options: ReplicasOptions, now: () => number, membership: Membership<Member>) {
  const { probe = probeReady, onChange, build, isPatient = false, isLeaving = () => false } = options
  let wasReady = false

  const hasReady = () => membership.list().some(({ state }) => healthOf(state, now()).rank === 0)
  const notify = ({ waiting }: Member, why: Parameters<OnEjected>[0]) => {
    for (const onEjected of [...waiting]) onEjected(why)
  }

  function perform(member: Member, effect: MemberEffect) {
    switch (effect) {
      case 'report':
        member.since = now()
        if (member.state.reported === 'ready') wasReady = true
        return onChange?.(member, member.state.reported)
      case 'eject':
      case 'eject-connecting': {
        // Only if another replica is ready: otherwise the requests keep waiting.
        if (!hasReady()) return
        member.agent.leaveConnecting(replicaOut())
        if (effect === 'eject') notify(member, 'frozen')
        return
      }
      case 'give-up':
        if (!isPatient && !hasReady()) notify(member, 'given-up')
        return
      case 'look-up':
        return void membership.lookUp()
      case 'close-idle-connections':
        return closeIdleConnections(member.agent)
      case 'clear-tally':
        return member.tallies.clear()
    }
  }

  function dispatch(member: Member, event: MemberEvent) {
    const { state, effects } = reduceMember(member.state, event, now())
    member.state = state
    for (const effect of effects) perform(member, effect)
  }

  /** When the last byte of a response arrived, to the interval of probes. */
  function listen(member: Member): number {
    const bytes = member.agent.receivedBytes()
    if (bytes !== member.heardBytes) member.heardAt = now()
    member.heardBytes = bytes
    return member.heardAt
  }

  /** Half of the replicas at most rest; those that refuse connections or are frozen are out for another reason. */
  function mayRest(member: Member): boolean {
    const members = membership.list()
    const resting = members.filter((each) => each !== member && each.state.pausedUntil > now() && !each.state.isRefused)
    return resting.length + 1 <= members.length * MOST_RESTING_SHARE
  }

  /** The build for which there is no other ready replica. */
  function reliesOn(member: Member): string | undefined {
    if (build === undefined || isLeaving()) return undefined
    const hasOther = membership.list().some((each) => each !== member && isReadyOf(each, build, now()))
    return hasOther ? undefined : build
  }

  return {
    wasReady: () => wasReady,
    succeeded(member: Member) {
      member.tallies.note(false, now())
      dispatch(member, { kind: 'succeeded' })
    },
    failed(member: Member, how: RequestFailure) {
      if (how !== 'broken') return dispatch(member, { kind: 'failed', how })
      member.tallies.note(true, now())
      dispatch(member, { kind: 'failed', how, tally: member.tallies.read(now()), mayRest: mayRest(member) })
    },
    async probe(member: Member) {
      const heardAt = listen(member)
      if (member.isProbing) return dispatch(member, { kind: 'waited', heardAt })
      member.isProbing = true
      const startedAt = now()
      const failed: Probe = { result: 'failed' }
      const { address, innerPort } = member
      const probed = await probe(address, innerPort, PROBE_TIMEOUT_MS, reliesOn(member)).catch(() => failed)
      member.isProbing = false
      // This process was busy or paused: the response may be in the connection, unread.
      if (probed.result === 'failed' && now() - startedAt > PROBE_TIMEOUT_MS + PROBE_INTERVAL_MS) return
      dispatch(member, { kind: 'probed', ...probed, startedAt, heardAt: listen(member) })
    },
  }
}

function createMember(place: Place, agent: ReplicaAgent, inFlightLimit: number, now: number): Member {
  return {
    ...place,
    agent,
    inFlight: 0,
    inFlightLimit,
    since: now,
    // Replicas of one machine differ by their port only.
    seed: hashText(place.name),
    state: { ...NEW_MEMBER, heardAt: now },
    isProbing: false,
    isRemoved: false,
    heardAt: now,
    heardBytes: 0,
    tallies: createTallies(),
    waiting: [],
    listed: undefined,
  }
}
