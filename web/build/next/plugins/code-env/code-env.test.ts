// Reads of `process.env.NEXT_PUBLIC_…` that are replaced, and what the manifest has of the variables.

import { expect, test } from 'vitest'
import { codeEnvOf } from '../../../manifest/manifest.ts'
import { nextDefaults } from '../../fields/next-defaults.ts'
import { replacePublicReads } from '../../testing.ts'
import { publicReads } from './code-env.ts'

const replaced = (code: string, path = 'a.tsx') =>
  replacePublicReads(code, path, ({ name }, isStatement) => (isStatement ? `read(${name})` : `(read(${name}))`))?.code

test.each([
  ['f(process.env.NEXT_PUBLIC_A)', 'f((read(NEXT_PUBLIC_A)))'],
  ["const a = process.env['NEXT_PUBLIC_A']", 'const a = (read(NEXT_PUBLIC_A))'],
  ['const a = process.env?.NEXT_PUBLIC_A?.length', 'const a = (read(NEXT_PUBLIC_A))?.length'],
  ['const a = process?.env?.NEXT_PUBLIC_A', 'const a = (read(NEXT_PUBLIC_A))'],
  ['const a = (process.env as any).NEXT_PUBLIC_A!', 'const a = (read(NEXT_PUBLIC_A))!'],
  ['const a = process.env!.NEXT_PUBLIC_A', 'const a = (read(NEXT_PUBLIC_A))'],
  ['const a = <p id={process.env.NEXT_PUBLIC_A}>{1}</p>', 'const a = <p id={(read(NEXT_PUBLIC_A))}>{1}</p>'],
  ['typeof process.env.NEXT_PUBLIC_A', 'typeof (read(NEXT_PUBLIC_A))'],
  // A parenthesis would call what the line before ends with.
  ['const a = b\nprocess.env.NEXT_PUBLIC_A && f()', 'const a = b\nread(NEXT_PUBLIC_A) && f()'],
])('X6 %j becomes %j', (code, result) => {
  expect(replaced(code)).toBe(result)
})

test.each([
  'process.env.NEXT_PUBLIC_A = "1"',
  'delete process.env.NEXT_PUBLIC_A',
  'const { NEXT_PUBLIC_A } = process.env',
  'process.env[NEXT_PUBLIC_A]',
  'const f = (process) => process.env.NEXT_PUBLIC_A',
  'import process from "my-process"\nprocess.env.NEXT_PUBLIC_A',
  'process.env.NEXT_PUBLIC_',
  'process.env.OTHER_NEXT_PUBLIC_A',
  'a.process.env.NEXT_PUBLIC_A',
  '"process.env.NEXT_PUBLIC_A"',
  'type A = typeof process.env.NEXT_PUBLIC_A',
])('X6 %j stays', (code) => {
  expect(replaced(code)).toBeUndefined()
})

test('X6 code that a loader made of another file is read, and data is not', () => {
  expect(publicReads('export default process.env.NEXT_PUBLIC_A', 'a.svg').map(({ name }) => name)).toEqual([
    'NEXT_PUBLIC_A',
  ])
  expect(publicReads('{ "text": "process.env.NEXT_PUBLIC_A" }', 'a.json')).toEqual([])
})

test('X6 the manifest has the variables in the order of their names, each with the value of the build', () => {
  const next = { ...nextDefaults(), codeEnv: { NEXT_PUBLIC_A: '', NEXT_PUBLIC_UNREAD: 'u' } }
  const codeVariables = new Map([
    ['NEXT_PUBLIC_B', {}],
    ['NEXT_PUBLIC_A', { browser: true as const }],
  ])
  expect(JSON.stringify(codeEnvOf({ next, codeVariables }))).toBe(
    '{"codeEnv":{"NEXT_PUBLIC_A":{"default":"","browser":true},"NEXT_PUBLIC_B":{}}}',
  )
  expect(codeEnvOf({ next, codeVariables: new Map() })).toEqual({})
})
