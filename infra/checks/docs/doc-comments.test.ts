// Every public export has a doc comment, and every function an example. docs.test.ts compiles the examples.

import { describe, expect, test } from 'vitest'
import { readCodeBlocks } from './code-blocks.ts'
import { ENTRIES, publicExports } from './public-exports.ts'

describe.each(Object.entries(ENTRIES))('%s', (_name, entry) => {
  test('F1 every export has a doc comment, and every function an example', () => {
    const exports = publicExports(entry)
    expect(exports.length).toBeGreaterThan(0)
    const faults = exports.flatMap(({ name, file, isType, doc }) => {
      const [sentence = ''] = doc?.trim().split('@example') ?? []
      if (!/\w.*[.:]/s.test(sentence)) return [`${file}: ${name} has no doc comment with a sentence`]
      const hasExample = readCodeBlocks(doc ?? '', file).some(({ language }) => /^tsx?$/.test(language))
      return isType || hasExample ? [] : [`${file}: ${name} has no @example`]
    })
    expect(faults).toEqual([])
  })
})
