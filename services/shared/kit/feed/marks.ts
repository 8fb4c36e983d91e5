// Marks in memory: the generation that last named a path or a tag, bounded in number.

import type { Change } from '../../wire/invalidation.ts'
import { pagePath } from '../../wire/routing/page-path.ts'
import { MAX_MARKS } from './generations.ts'

export type Marks = ReturnType<typeof createMarks>

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
