import { expect, test } from 'vitest'
import { importedNames, parseModule } from './syntax.ts'

const read = (code: string) => importedNames(parseModule(code, 'x.ts'), './x')

test.each([
  ["import { a, b as c } from './x'", ['a', 'b'], {}],
  ["import d from './x'", ['default'], {}],
  ["export { a as b } from './x'", ['a'], {}],
  ["import { 'a-b' as c } from './x'", ['a-b'], {}],
  ["import * as n from './x'\nn.a(n.b.c)", ['a', 'b'], { isAll: true }],
  ["export * from './x'", [], { isAll: true }],
  ["import './x'", [], { isBare: true }],
  ["import './x'\nimport { a } from './x'", ['a'], { isBare: true }],
  ["import type { T } from './x'", [], { start: undefined }],
  ["import { type T } from './x'", [], { start: undefined }],
  ["import { a } from './y'", [], { start: undefined }],
])('F2 reads what %j imports', (code, names, members) => {
  const expected = { isAll: false, isBare: false, start: 0, ...members }
  expect({ ...read(code), names: [...read(code).names] }).toEqual({ ...expected, names })
})
