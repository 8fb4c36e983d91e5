// Which uses of Node's globals are replaced in modules of the browser, reads of the environment included.

import { expect, test } from 'vitest'
import { replaceNodeGlobals } from './node-globals.ts'

const lines = (code: string) => replaceNodeGlobals(code, '/site/lib/a.tsx')?.code.split('\n')
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

const provided = (name: string) =>
  `import ${name === 'Buffer' ? '{ Buffer as __portico_Buffer }' : `__portico_${name}`} from "virtual:portico/node-global/${name}"`

test.each([
  ['f(process.cwd(), (process as any).pid)', 'f(__portico_process.cwd(), (__portico_process as any).pid)', 'process'],
  ['process.env.A = 1; delete process.env.B', '__portico_process.env.A = 1; delete __portico_process.env.B', 'process'],
  ['const a = { Buffer }', 'const a = { Buffer: __portico_Buffer }', 'Buffer'],
  ['{ const global = 1; f(global) } g(global)', '{ const global = 1; f(global) } g(__portico_global)', 'global'],
  ['declare const process: P; f(process)', 'declare const process: P; f(__portico_process)', 'process'],
])('F2 replaces the global in %j', (code, replaced, name) => {
  expect(lines(code)).toEqual([replaced, provided(name)])
})

test.each([
  'declare global { interface Window { Buffer: Buffer } var process: P }; export const a = (b: Buffer) => b',
  'enum Kind { process } abstract class A { abstract global(process: P): void; Buffer = 1 }',
  "export { process } from './a.ts'; export * as Buffer from './b.ts'; f(a.process, { global: 1 })",
  'if (a) { var global = 1 } process: for (;;) break process',
  'import Buffer, { a as process } from "./a.ts"; f(Buffer, process)',
  '<global process={1} />',
  'if (process.env.NODE_ENV === "production") f()',
  'const process = { env: { A: 1 } }; f(process.env.A)',
  "import process from 'node:process'; f(process.env.A)",
  '// process.env.A',
  'f(import.meta.env.A)',
])('F2 leaves %j as written', (code) => {
  expect(lines(code)).toBeUndefined()
})

test('X6 keeps what compatibility mode inlines, and the object without values that browsers of Next.js have', () => {
  const next = { on: true, hasNodeGlobals: true, defines: { 'process.env.NEXT_PUBLIC_A': '"a"' } }
  const replaced = (code: string) => replaceNodeGlobals(code, '/site/lib/a.ts', next)?.code.split('\n')
  expect(replaced('f(process.env.NEXT_PUBLIC_A)')).toBeUndefined()
  expect(replaced("typeof process !== 'undefined' && f(process.env.NEXT_PUBLIC_A)")).toEqual([
    `"object" !== 'undefined' && f(process.env.NEXT_PUBLIC_A)`,
  ])
  expect(replaced('f(process.browser, typeof Buffer, typeof global, global.a, { global })')).toEqual([
    'f(true, "function", "object", globalThis.a, { global: globalThis })',
  ])
  expect(replaced('f(process.env.NEXT_PUBLIC_A, process.env.B)')).toEqual([
    `f(process.env.NEXT_PUBLIC_A, ${call('B')})`,
    imported('B'),
  ])
})
