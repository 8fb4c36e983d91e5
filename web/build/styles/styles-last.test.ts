import { expect, test } from 'vitest'
import { moveStyles } from '../testing.ts'

const moved = (code: string) => moveStyles(code, '/site/pages/index.tsx')?.code

test.each([
  [
    `import css from './a.module.css'\nimport { B } from './b.tsx'\nexport default B`,
    `\nimport { B } from './b.tsx';import css from './a.module.css'\nexport default B`,
  ],
  [
    `import './a.css';\nimport './b.css';\nexport { c } from './c.ts';\nimport './d.css'`,
    `\n\nexport { c } from './c.ts';;import './a.css';;import './b.css';\nimport './d.css'`,
  ],
])('F3 moves stylesheets after the modules that a module imports, in their order', (code, expected) => {
  expect(moved(code)).toBe(expected)
})

test.each([
  `import { B } from './b.tsx'\nimport './a.css'`,
  `import './a.css'\nconst late = () => import('./b.tsx')`,
  `import { B } from './b.tsx'`,
  'import {',
])('F3 leaves other modules as they are', (code) => {
  expect(moved(code)).toBeUndefined()
})

test('F3 keeps the places of moved imports for messages', () => {
  const { map } = moveStyles(`import './missing.css'\nimport { B } from './b.tsx'`, '/site/pages/index.tsx')!
  expect(map.mappings).not.toBe('')
})
