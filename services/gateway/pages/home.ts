// The home of a page: the renderer that keeps its entry (C1). Every gateway chooses the same one.

import { hashText, hashWeight, isReadyOf, type Replica } from '../replicas/replicas.ts'

/** The members of a renderer that the choice reads. */
type Member = Pick<Replica, 'state' | 'seed'>

/**
 * The first ready renderer of the build in the page's order; undefined while no renderer of the build is ready. The order
 * depends on the page alone and not on versions, so that each gateway uses one version of a page during a rollout.
 */
export function homeOf<T extends Member>(
  members: readonly T[],
  { build, page, now, except }: { build: string; page: string; now: number; except?: T | undefined },
): T | undefined {
  let home: T | undefined
  let heaviest = -1
  let keyHash: number | undefined
  for (const member of members) {
    if (member === except || !isReadyOf(member, build, now)) continue
    if (members.length === 1) return member
    keyHash ??= hashText(page)
    const weight = hashWeight(keyHash, member.seed)
    if (weight <= heaviest) continue
    heaviest = weight
    home = member
  }
  return home
}
