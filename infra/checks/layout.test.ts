// The shape of the tree: imports form no circle. Sizes are reported, not limited: sizes-cli.ts.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { importsOf, listSources, root, targetOf } from './sources.ts'

const sources = listSources()

describe('the layout', () => {
  test('imports form no circle, types included', () => {
    expect(circlesOf(new Map(sources.map((file) => [file, targetsOf(file)])))).toEqual([])
  })

  test('a circle is found', () => {
    const circle: [string, string[]][] = [
      ['a', ['b', 'd']],
      ['b', ['c']],
      ['c', ['a']],
      ['d', []],
    ]
    expect(circlesOf(new Map(circle))).toEqual([['a', 'b', 'c']])
    expect(circlesOf(new Map([['a', ['a']]]))).toEqual([['a']])
    expect(circlesOf(new Map(circle.slice(1)))).toEqual([])
  })

  test.each([
    "import './x.ts'",
    "import x, { type X } from './x.ts'",
    "import type { X } from './x.ts'",
    "import {\n  type X, // why\n  y,\n} from './x.ts'",
    "export { x } from './x.ts'",
    "export type * from './x.ts'",
    "const later = import(\n  './x.ts'\n)",
    "type X = typeof import('./x.ts')",
  ])('an import is found in %j', (source) => {
    expect(importsOf(source).map(({ specifier }) => specifier)).toEqual(['./x.ts'])
  })
})

function targetsOf(file: string): string[] {
  return importsOf(readFileSync(join(root, file), 'utf8')).flatMap(({ specifier }) => targetOf(file, specifier) ?? [])
}

/** The strongly connected components of more than one file, and files that import themselves (Tarjan 1972). */
function circlesOf(graph: ReadonlyMap<string, readonly string[]>): string[][] {
  const order = new Map<string, number>()
  const lowest = new Map<string, number>()
  const path: string[] = []
  const circles: string[][] = []
  const visit = (file: string) => {
    order.set(file, order.size)
    lowest.set(file, order.size - 1)
    path.push(file)
    for (const target of graph.get(file) ?? []) {
      if (!graph.has(target)) continue
      if (!order.has(target)) visit(target)
      if (path.includes(target)) lowest.set(file, Math.min(lowest.get(file) ?? 0, lowest.get(target) ?? 0))
    }
    if (lowest.get(file) !== order.get(file)) return
    const circle = path.splice(path.indexOf(file))
    if (circle.length > 1 || graph.get(file)?.includes(file)) circles.push(circle.sort())
  }
  for (const file of graph.keys()) if (!order.has(file)) visit(file)
  return circles
}
