// Marks in memory: the generation that last named a path or a tag, bounded in number.

import type { Change } from '../../wire/invalidation.ts'
import { pagePath } from '../../wire/routing/page-path.ts'
import type { Log } from '../observe/log.ts'
import type { FollowEffect } from './follow.ts'
import { MAX_MARKS } from './generations.ts'

/** Generations only grow, except by `forget`. */
export function createMarks() {
  const paths = new Map<string, number>()
  const tags = new Map<string, number>()
  let generation = 0
  let floor = 0

  const remember = (marks: Map<string, number>, name: string, at: number) => {
    const known = marks.get(name) ?? 0
    marks.delete(name)
    marks.set(name, Math.max(known, at))
    if (marks.size <= MAX_MARKS) return
    const [oldest, mark] = marks.entries().next().value!
    marks.delete(oldest)
    floor = Math.max(floor, mark)
  }

  return {
    generation: () => generation,
    /** The generation that last named the path, one of the tags or everything. */
    latest: (path: string, names: readonly string[]) =>
      Math.max(floor, paths.get(path) ?? 0, ...names.map((name) => tags.get(name) ?? 0)),
    /** Whether each name of the change was marked at this generation or later. */
    has({ paths: pathNames, tags: tagNames, everything }: Change, at: number): boolean {
      const isMarked = (marks: Map<string, number>, name: string) => Math.max(floor, marks.get(name) ?? 0) >= at
      return everything
        ? floor >= at
        : pathNames.every((path) => isMarked(paths, pagePath(path))) && tagNames.every((tag) => isMarked(tags, tag))
    },
    mark(change: Change, at: number): void {
      generation = Math.max(generation, at)
      if (change.everything) floor = Math.max(floor, at)
      for (const path of change.paths) remember(paths, pagePath(path), at)
      for (const tag of change.tags) remember(tags, tag, at)
    },
    /** Everything of earlier generations is out of date. */
    raiseFloor(at: number): void {
      floor = Math.max(floor, at)
    },
    /** Reaches a generation that named nothing new. */
    reach(at: number): void {
      generation = Math.max(generation, at)
    },
    forget(): void {
      paths.clear()
      tags.clear()
      generation = 0
      floor = 0
    },
  }
}

/** The moment at which data was read, in the orders of changes that this process knows. Compared by `isCurrent` alone. */
export interface AsOf {
  /** Raised when the state store lost its marks. */
  era: number
  /** The state store's generation. */
  generation: number
  /** Changes that arrived without a generation. */
  unordered: number
}

/** All marks that a process knows: those in the store's order, and those of changes without a place in this order. */
export function createKnownMarks(log: Log, now: () => number) {
  const stored = createMarks()
  const unordered = createMarks()
  let era = 0
  let revision = 0
  let unorderedAt = Number.NEGATIVE_INFINITY
  let marksLost = 0

  return {
    generation: stored.generation,
    revision: () => revision,
    marksLost: () => marksLost,
    /** When the last change without a place in the order arrived. */
    unorderedAt: () => unorderedAt,
    asOf: (): AsOf => ({ era, generation: stored.generation(), unordered: unordered.generation() }),
    isCurrent: (asOf: AsOf, path: string, tags: readonly string[]): boolean =>
      asOf.era === era &&
      stored.latest(path, tags) <= asOf.generation &&
      unordered.latest(path, tags) <= asOf.unordered,
    perform(effect: FollowEffect): void {
      // Messages arrive by two ways: the second one names what a read may have marked in between.
      if (
        effect.kind === 'mark-unordered' &&
        effect.generation !== undefined &&
        stored.has(effect.change, effect.generation)
      )
        return
      if (effect.kind !== 'report' && effect.kind !== 'reach') revision++
      if (effect.kind === 'report') {
        if (effect.event === 'marks-lost') marksLost++
        report(log, effect.event)
      } else if (effect.kind === 'reach') stored.reach(effect.generation)
      else if (effect.kind === 'mark') stored.mark(effect.change, effect.generation)
      else if (effect.kind === 'raise-floor') stored.raiseFloor(effect.generation)
      else if (effect.kind === 'mark-unordered') {
        unorderedAt = now()
        unordered.mark(effect.change, unordered.generation() + 1)
      } else {
        effect.kind satisfies 'forget'
        era++
        stored.forget()
      }
    },
  }
}

function report(log: Log, event: Extract<FollowEffect, { kind: 'report' }>['event']): void {
  if (event === 'invalidations-away') log.warn({ event }, 'invalidations from the state store unavailable')
  else if (event === 'invalidations-back') log.info({ event }, 'invalidations from the state store resumed')
  else log.warn({ event }, 'marks of the state store lost: all cached pages dropped')
}
