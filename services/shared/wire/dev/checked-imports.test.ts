// Imports that a module runner checks.

import { expect, test } from 'vitest'
import { checkImports } from './checked-imports.ts'

type Load = (id: string, metadata?: { importedNames?: string[] }) => Promise<unknown>

/** Runs a module that imports names from a module with these exports. */
async function importFrom(exports: unknown, importedNames: string[] | undefined, file = '/app/pages/a.tsx') {
  const evaluator = checkImports({
    runInlinedModule: ({ __vite_ssr_import__: load }: { __vite_ssr_import__: Load }) =>
      load('/lib/b.ts', importedNames && { importedNames }),
  })
  const run = evaluator.runInlinedModule as unknown as (...given: unknown[]) => Promise<unknown>
  return run({ __vite_ssr_import__: async () => exports }, '', { file })
}

const sealed = Object.seal({ one: 1, nothing: undefined })

test('V2 an import of a missing name fails, naming the name, the module and the importer', async () => {
  await expect(importFrom(sealed, ['one', 'two'])).rejects.toThrow(
    '"two" is not exported by "/lib/b.ts", imported by "/app/pages/a.tsx"',
  )
})

test.each([
  ['a name that exists', sealed, ['one', 'nothing'], undefined],
  ['a whole module', sealed, undefined, undefined],
  ['a module that is still running, in a cycle', { one: 1 }, ['two'], undefined],
  ['an import of a package', sealed, ['two'], '/app/node_modules/p/index.js'],
])('V2 %s is not refused', async (_what, exports, names, file) => {
  expect(await importFrom(exports, names, file)).toBe(exports)
})
