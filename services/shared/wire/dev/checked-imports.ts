// Fails at the import of a name that a module does not export, as browsers and builds do. Vite's module runner gives
// `undefined` instead, which fails later and elsewhere.

/** The members of Vite's evaluator and of its context that this file uses. */
interface Evaluator {
  runInlinedModule(context: Context, code: string, module: Readonly<Module>): Promise<unknown>
}
interface Module {
  file: string
}
type Context = { __vite_ssr_import__: Import }
type Import = (id: string, metadata?: { importedNames?: string[] }) => Promise<unknown>

/** Changes the evaluator of a module runner: modules of packages are not checked, because no author can fix them. */
export function checkImports<Own extends object>(evaluator: Own): Own {
  // The cast: Vite's own types differ in members that this file does not use.
  const inner = evaluator as Own & Evaluator
  const run = inner.runInlinedModule.bind(evaluator)
  inner.runInlinedModule = (context, code, module) =>
    run(module.file.includes('/node_modules/') ? context : checked(context, module.file), code, module)
  return evaluator
}

function checked(context: Context, importer: string): Context {
  const load = context.__vite_ssr_import__
  return {
    ...context,
    async __vite_ssr_import__(id, metadata) {
      const exports = await load(id, metadata)
      const missing = metadata?.importedNames?.find((name) => isMissing(exports, name))
      // Text of import-fault.ts in web/build, which finds the line.
      if (missing !== undefined)
        throw new SyntaxError(`"${missing}" is not exported by "${id}", imported by "${importer}"`)
      return exports
    },
  }
}

/** The runner seals the exports of a module that has run; modules that import each other may still add names. */
function isMissing(exports: unknown, name: string): boolean {
  return typeof exports === 'object' && exports !== null && Object.isSealed(exports) && !(name in exports)
}
