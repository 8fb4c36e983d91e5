import { expect, test } from 'vitest'
import { replacePlace } from '../testing.ts'

const textOf = (code: string, isDev = false) => replacePlace(code, '/site/lib/a.ts', isDev)?.code.split('\nimport {')[0]

test.each([
  ['import "x"; const d = __dirname', 'import "x"; const d = __portico_dirname'],
  ['export const f = { __filename }', 'export const f = { __filename: __portico_filename }'],
  ['export const u = import.meta.url', 'export const u = __portico_url'],
  ['export const d = import.meta.dirname + import.meta.env', 'export const d = __portico_dirname + import.meta.env'],
  ["export const r = require.resolve('x')", "export const r = __portico_require.resolve('x')"],
  ['export const r = require(name)', 'export const r = __portico_require(name)'],
  // The bundler finds it.
  ["export const r = require('x')", undefined],
  ['export const a = b.__dirname', undefined],
  ["import require from 'x'; export default require(y)", undefined],
  ['export const f = (require) => require(y)', undefined],
])('F1 a build gives server code its place in the sources: %s', (code, expected) => {
  expect(textOf(code)).toBe(expected)
})

test('F1 development has Node load what a module requires, and leaves import.meta to Vite', () => {
  expect(textOf("export const r = require('x')", true)).toBe("export const r = __portico_require('x')")
  expect(textOf('export const u = import.meta.url', true)).toBeUndefined()
})

test('F1 a CommonJS module of the site requires its place', () => {
  expect(textOf('module.exports = __dirname')).toBe(
    'var { __portico_dirname } = require("\\u0000portico-place:/site/lib/a.ts:"); module.exports = __portico_dirname',
  )
})
