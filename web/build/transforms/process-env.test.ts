// Which reads of the environment are replaced in modules of the browser.

import { expect, test } from 'vitest'
import { replaceProcessEnv } from './process-env.ts'

const lines = (code: string) => replaceProcessEnv(code, '/site/lib/a.ts')?.code.split('\n')
const call = (name: string) => `(/* @__PURE__ */ __portico_env_${name}())`
const imported = (name: string) => `import __portico_env_${name} from "virtual:portico/process-env/${name}"`

test.each([
  ["'use client'; f(process.env.A)", `'use client'; f(${call('A')})`, 'A'],
  ['const a: string = process.env.A ?? process.env.A!', `const a: string = ${call('A')} ?? ${call('A')}!`, 'A'],
  ['const { A } = process.env', `const { A } = ${call('')}`, ''],
  ['const a = process.env[key]', `const a = ${call('')}[key]`, ''],
  ["if (typeof process !== 'undefined') f(process.env.A)", `if ("undefined" !== 'undefined') f(${call('A')})`, 'A'],
])('F2 replaces the read in %j', (code, replaced, name) => {
  expect(lines(code)).toEqual([replaced, imported(name)])
})

test.each([
  'if (process.env.NODE_ENV === "production") f()',
  'const process = { env: { A: 1 } }; f(process.env.A)',
  "import process from 'node:process'; f(process.env.A)",
  '// process.env.A',
  'f(import.meta.env.A)',
])('F2 leaves %j as written', (code) => {
  expect(lines(code)).toBeUndefined()
})

test('X6 keeps what compatibility mode inlines, and the object without values that browsers of Next.js have', () => {
  const next = { on: true, defines: { 'process.env.NEXT_PUBLIC_A': '"a"' } }
  const replaced = (code: string) => replaceProcessEnv(code, '/site/lib/a.ts', next)?.code.split('\n')
  expect(replaced('f(process.env.NEXT_PUBLIC_A)')).toBeUndefined()
  expect(replaced("typeof process !== 'undefined' && f(process.env.NEXT_PUBLIC_A)")).toEqual([
    `"object" !== 'undefined' && f(process.env.NEXT_PUBLIC_A)`,
  ])
  expect(replaced('f(process.env.NEXT_PUBLIC_A, process.env.B)')).toEqual([
    `f(process.env.NEXT_PUBLIC_A, ${call('B')})`,
    imported('B'),
  ])
})
