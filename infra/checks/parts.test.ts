// Parts have doors, and no two parts import each other (ARCHITECTURE.md).

import { describe, expect, test } from 'vitest'
import { importsBetweenParts, isDoor, mutualParts, partOf } from './parts.ts'

const imports = importsBetweenParts()

describe('parts', () => {
  test('no two parts import each other, types included', () => {
    expect(mutualParts(imports)).toEqual([])
  })

  test('a part is imported by its door', () => {
    const past = imports.filter(({ target }) => !isDoor(target))
    expect(past.map(({ file, target }) => `${file} imports ${target}`)).toEqual([])
  })

  test('parts, doors and mutual imports are found', () => {
    const name = 'services/gateway/send/head.ts'
    expect([partOf(name), isDoor(name), isDoor('services/gateway/send/send.ts')]).toEqual([
      'services/gateway/send',
      false,
      true,
    ])
    expect([partOf('services/gateway/app.ts'), isDoor('services/gateway/app.ts')]).toEqual([
      'services/gateway/app.ts',
      true,
    ])
    const arrow = (from: string, to: string) => ({ from, to, file: `${from}/a.ts`, target: `${to}/b.ts` })
    expect(mutualParts([arrow('a', 'b'), arrow('b', 'c')])).toEqual([])
    expect(mutualParts([arrow('a', 'b'), arrow('b', 'a')])).toEqual(['a and b: a/a.ts > b.ts, b/a.ts > b.ts'])
    expect(imports.length).toBeGreaterThan(1000)
  })
})
