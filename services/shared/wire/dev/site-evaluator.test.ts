// Modules of a site under development, as Vite's module runner hands them over.

import vm from 'node:vm'
import { expect, test } from 'vitest'
import { createSiteEvaluator } from './site-evaluator.ts'

/** Runs the code of a module whose only import leads to `imported`; returns its exports. */
async function run(code: string, imported: unknown = {}, file = '/app/pages/a.tsx'): Promise<Record<string, unknown>> {
  const exports: Record<string, unknown> = {}
  const context = { __vite_ssr_exports__: exports, __vite_ssr_import__: async () => imported }
  await createSiteEvaluator(vm).runInlinedModule(context, code, { id: file, file })
  return exports
}

/** Imports names from a module with these exports. */
async function importFrom(exports: unknown, importedNames: string[] | undefined, file?: string) {
  const metadata = JSON.stringify(importedNames && { importedNames })
  const code = `__vite_ssr_exports__.it = await __vite_ssr_import__('/lib/b.ts', ${metadata})`
  return (await run(code, exports, file)).it
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

test('F1 a module is a script with the name of its file', async () => {
  const { sites } = await run(`const { getCallSites } = process.getBuiltinModule('node:util')
__vite_ssr_exports__.sites = getCallSites()`)
  expect(sites).toContainEqual(expect.objectContaining({ scriptName: '/app/pages/a.tsx', lineNumber: 3 }))
})

test('F1 the exports of a module that has run are sealed', async () => {
  expect(Object.isSealed(await run('__vite_ssr_exports__.a = 1'))).toBe(true)
})
