// Chooses one of several replicas for a request (G2).

import { buildOfVersion } from '@portico/shared/wire/routing/version.ts'
import { healthOf, type MemberState, weightOf } from './member-state.ts'

/** A hashed choice skips a replica with this multiple of its even share of the running requests. */
const BOUNDED_LOAD = 1.25

/** The properties that a choice compares. */
export interface Candidate {
  readonly inFlight: number
  readonly state: MemberState
  /** hashText of the replica's identity. */
  readonly seed: number
}

export interface ChoiceOptions<T> {
  /** A replica that already failed this request. */
  except?: T | undefined
  /** Requests with one key are sent to one replica while the replica is not overloaded. */
  key?: string | undefined
  /** Replicas that serve this build are preferred, then those whose build is unknown (G3). */
  build?: string | undefined
  /** Replicas that serve another build are not usable. */
  mustServe?: true | undefined
}

/** The best of the members; undefined when no member is usable (or only the excepted one): see Health. */
export function chooseMember<T extends Candidate>(
  members: readonly T[],
  { except, key, build, mustServe }: ChoiceOptions<T>,
  now: number,
  random: () => number,
): T | undefined {
  if (members.length === 1) {
    const only = members[0]!
    return only === except || healthOf(only.state, now).rank === undefined ? undefined : only
  }
  let best: T[] = []
  let bestRank = Number.POSITIVE_INFINITY
  for (const member of members) {
    if (member === except || (mustServe && !mayServe(member, build))) continue
    const { rank } = healthOf(member.state, now)
    if (rank === undefined || rank > bestRank) continue
    if (rank < bestRank) {
      best = []
      bestRank = rank
    }
    best.push(member)
  }
  const fitting = build !== undefined && (bestRank === 0 || mustServe) ? ofBuild(best, build) : best
  return key === undefined ? leastBusyOfTwo(fitting, now, random) : byHash(fitting, key, now)
}

/** False for a member that is known to serve another build. */
function mayServe(member: Candidate, build: string | undefined): boolean {
  return (buildOf(member) ?? build) === build
}

/** The members that serve the build, else those whose build is unknown, else all members. */
function ofBuild<T extends Candidate>(members: readonly T[], build: string): readonly T[] {
  const same = members.filter((member) => buildOf(member) === build)
  if (same.length > 0) return same
  const unknown = members.filter((member) => buildOf(member) === undefined)
  return unknown.length > 0 ? unknown : members
}

/** Whether a replica serves the build and is ready. */
export function isReadyOf(replica: Pick<Candidate, 'state'>, build: string, now: number): boolean {
  return buildOf(replica) === build && healthOf(replica.state, now).state === 'ready'
}

/** The build that a replica serves; undefined before its first probe, and for a service without versions. */
export function buildOf({ state: { version } }: Pick<Candidate, 'state'>): string | undefined {
  return version === undefined ? undefined : buildOfVersion(version)
}

/**
 * The less busy of two random members: nearly as even as the least busy of all, without overloading a single one. A member
 * that became ready a moment ago is not busy because it is new: it gives a part of its requests to the other one.
 */
function leastBusyOfTwo<T extends Candidate>(members: readonly T[], now: number, random: () => number): T | undefined {
  if (members.length < 2) return members[0]
  const first = Math.floor(random() * members.length)
  const second = (first + 1 + Math.floor(random() * (members.length - 1))) % members.length
  const [left, right] = [members[first]!, members[second]!]
  const [chosen, other] = right.inFlight < left.inFlight ? [right, left] : [left, right]
  const [weight, otherWeight] = [weightOf(chosen.state, now), weightOf(other.state, now)]
  return weight < otherWeight && random() * otherWeight >= weight ? other : chosen
}

/**
 * Rendezvous hashing: each key has its own order of the members, which changes little when a member is added or
 * removed.
 */
function byHash<T extends Candidate>(members: readonly T[], key: string, now: number): T | undefined {
  const keyHash = hashText(key)
  const total = members.reduce((sum, member) => sum + member.inFlight, 0)
  const limit = Math.ceil(((total + 1) / members.length) * BOUNDED_LOAD)
  const ordered = [...members].sort((left, right) => hashWeight(keyHash, right.seed) - hashWeight(keyHash, left.seed))
  // One request at a time is always within the share of a member that became ready a moment ago.
  return ordered.find(({ inFlight, state }) => inFlight < limit * weightOf(state, now)) ?? ordered[0]
}

/** The weight of a member in the order of a key: the heaviest is first. */
export function hashWeight(keyHash: number, seed: number): number {
  return mix(keyHash ^ seed)
}

/** FNV-1a, 32 bits. */
export function hashText(text: string): number {
  let value = 0x811c9dc5
  for (let index = 0; index < text.length; index++) value = Math.imul(value ^ text.charCodeAt(index), 0x01000193)
  return mix(value)
}

/** The finaliser of MurmurHash3: spreads every bit over all other bits. */
function mix(value: number): number {
  let mixed = value ^ (value >>> 16)
  mixed = Math.imul(mixed, 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
  return (mixed ^ (mixed >>> 16)) >>> 0
}
