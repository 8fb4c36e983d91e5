import { expect, test } from 'vitest'
import { removeTypeImports } from './transforms.ts'

const removed = (code: string) => removeTypeImports(code, 'x.ts')?.code

test.each([
  ["import { type T } from './x'\nlet a: T", '\nlet a: T'],
  ["import { type A, type B as C } from './x'\n1", '\n1'],
  ["import {\n  type A,\n} from './x'\n1", '\n1'],
  ["export { type A, type B } from './x'\n1", '\n1'],
  ["import { a } from './a'\nimport { type T } from './x'\na", "import { a } from './a'\n\na"],
])('F3 removes an import of types only, name by name: %j', (code, expected) => {
  expect(removed(code)).toBe(expected)
})

test.each([
  "import { type T, a } from './x'",
  "import a, { type T } from './x'",
  "import './x'",
  "import {} from './x'",
  'type T = 1\nexport { type T }',
  "const text = '{ type T }'",
])('F3 keeps an import of values: %j', (code) => {
  expect(removed(code)).toBeUndefined()
})
