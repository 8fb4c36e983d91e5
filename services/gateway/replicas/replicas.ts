// The replicas of one service (G2): membership.ts knows their addresses, member-state.ts their health, choice.ts chooses
// one for a request. This file runs the timers and performs the effects; the proxy reports each request.

import type { Agent } from 'node:http'
import type { ServiceAddress } from '@portico/shared/kit/addresses/service-addresses.ts'
import { removeFrom } from '@portico/shared/kit/http/unordered.ts'
import { lookupAll, type Probe, probeReady } from '@portico/shared/kit/life/replica-probe.ts'
import { closeIdleConnections, createReplicaAgent } from './agent.ts'
import { type Candidate, type ChoiceOptions, chooseMember, hashText } from './choice.ts'
import {
  healthOf,
  type MemberEffect,
  type MemberEvent,
  type MemberState,
  NEW_MEMBER,
  type ReplicaState,
  type RequestFailure,
  reduceMember,
  refusesConnections,
} from './member-state.ts'
import { createMembership, type Membership, type Place } from './membership.ts'

/** Interval of address look-ups. */
export const LOOKUP_INTERVAL_MS = 2000
/** Interval of requests for /readyz to each replica … */
export const PROBE_INTERVAL_MS = 500
/** … and their time limit; two failures in a row eject a replica, so a frozen one is ejected after 2.5 s. */
export const PROBE_TIMEOUT_MS = 750

/** Requests that may run at one replica at the same time; more would only wait and hold memory. */
export const IN_FLIGHT_LIMIT = 4096

export interface Replica extends Candidate, Place {
  readonly agent: Agent
  /** https, which no service has. */
  readonly isSecure?: boolean
  /** Requests that have begun and not ended. */
  readonly inFlight: number
  /** Time of the last change of state, by the clock of `ReplicasOptions.now`. */
  readonly since: number
}

interface Member extends Replica {
  inFlight: number
  since: number
  state: MemberState
  isProbing: boolean
  isRemoved: boolean
  /** Called when the replica is ejected. */
  waiting: (() => void)[]
}

export interface ReplicasOptions {
  /** Of the service; each host may resolve to many addresses. */
  addresses: readonly ServiceAddress[]
  lookup?: (host: string) => Promise<string[]>
  probe?: (address: string, port: number, timeoutMs: number) => Promise<Probe>
  /** Milliseconds of a monotonic clock. */
  now?: () => number
  random?: () => number
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
  /** Whether every known replica refuses connections: then waiting requests are refused, else the service is busy. */
  areRefused(): boolean
  /** Counts a request as running. `onEjected` is called once if the replica is ejected before `end`. */
  begin(replica: Replica, onEjected?: () => void): void
  end(replica: Replica, onEjected?: () => void): void
  succeeded(replica: Replica): void
  failed(replica: Replica, how: RequestFailure): void
  stateOf(replica: Replica): ReplicaState
  list(): readonly Replica[]
  close(): void
}

/** Follows the replicas of one service. */
export function createReplicas(options: ReplicasOptions): Replicas {
  const { addresses, lookup = lookupAll, random = Math.random, now = () => performance.now() } = options
  /** No longer members, with requests that have not ended. */
  let removed: Member[] = []
  let timers: NodeJS.Timeout[] = []
  let isClosed = false
  const membership: Membership<Member> = createMembership({
    addresses,
    lookup,
    create: (place) => createMember(place, now()),
    onAdded: (member) => runner.probe(member),
    onRemoved(member) {
      member.isRemoved = true
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
      return members.length > 0 && members.every(({ state }) => refusesConnections(state))
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
    succeeded: (replica) => runner.dispatch(memberOf(replica), { kind: 'succeeded' }),
    failed: (replica, how) => runner.dispatch(memberOf(replica), { kind: 'failed', how }),
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
  const { probe = probeReady, onChange } = options

  function perform(member: Member, effect: MemberEffect) {
    switch (effect) {
      case 'report':
        member.since = now()
        return onChange?.(member, member.state.reported)
      case 'eject':
        // Only if another replica is ready: otherwise the requests keep waiting.
        if (!membership.list().some(({ state }) => healthOf(state, now()).state === 'ready')) return
        for (const onEjected of member.waiting.splice(0)) onEjected()
        return
      case 'look-up':
        return void membership.lookUp()
      case 'close-idle-connections':
        return closeIdleConnections(member.agent)
    }
  }

  function dispatch(member: Member, event: MemberEvent) {
    const { state, effects } = reduceMember(member.state, event, now())
    member.state = state
    for (const effect of effects) perform(member, effect)
  }

  return {
    dispatch,
    async probe(member: Member) {
      if (member.isProbing) return
      member.isProbing = true
      const startedAt = now()
      const failed: Probe = { result: 'failed' }
      const probed = await probe(member.address, member.innerPort, PROBE_TIMEOUT_MS).catch(() => failed)
      member.isProbing = false
      dispatch(member, { kind: 'probed', ...probed, startedAt })
    },
  }
}

function createMember(place: Place, now: number): Member {
  return {
    ...place,
    agent: createReplicaAgent(),
    inFlight: 0,
    since: now,
    // Replicas of one machine differ by their port only.
    seed: hashText(place.name),
    state: NEW_MEMBER,
    isProbing: false,
    isRemoved: false,
    waiting: [],
  }
}
