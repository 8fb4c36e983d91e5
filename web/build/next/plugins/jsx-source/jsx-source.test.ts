import { expect, test } from 'vitest'
import { withJsxSource } from '../../testing.ts'

test('X4 a module with JSX names the package of compiler.emotion, and keeps its lines', () => {
  const code = "'use client'\nexport const a = <p css={{}} />"
  expect(withJsxSource(code, '@emotion/react')?.code).toBe(`/** @jsxImportSource @emotion/react */ ${code}`)
})

test.each(['/** @jsxImportSource preact */\n<p />', '/** @jsx jsx */\n<p />', 'export const a = 1'])(
  'X4 a module without JSX, or with its own package, stays as it is: %j',
  (code) => expect(withJsxSource(code, '@emotion/react')).toBeUndefined(),
)
