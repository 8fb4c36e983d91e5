// Runs the modules of a site under development: what Vite's module runner calls an evaluator, with two differences from
// Vite's own. An import of a name that a module does not export fails, as in browsers and builds; Vite gives `undefined`,
// which fails later and elsewhere. And a module is a script with the name of its file, as under Node: packages ask for the
// file of their caller (`util.getCallSites`), from which pino finds its transports.

/** The members of `node:vm` that this file uses. */
interface NodeVm {
  constants: { USE_MAIN_CONTEXT_DEFAULT_LOADER: number }
  Script: new (
    code: string,
    options: { filename: string; importModuleDynamically: number },
  ) => { runInThisContext(): unknown }
}

/** The members of Vite's evaluated modules and contexts that this file uses. */
interface Module {
  id: string
  file: string
}
type Import = (id: string, metadata?: { importedNames?: string[] }) => Promise<unknown>
interface Context {
  __vite_ssr_import__: Import
  __vite_ssr_exports__: Record<string, unknown>
}

/**
 * Makes the evaluator of a module runner. Packages' imports are not checked, because no author can fix them.
 *
 * @example createSiteEvaluator(await import('node:vm'))
 */
export function createSiteEvaluator({ Script, constants }: NodeVm) {
  return {
    /** Lines before the module's first one. Not removed by `lineOffset`: V8 ignores it where the code has a sourceURL. */
    startOffset: 1,
    async runInlinedModule(context: Context, code: string, { id, file }: Readonly<Module>): Promise<void> {
      const given = file.includes('/node_modules/') ? context : checked(context, file)
      const names = Object.keys(given)
      const script = new Script(`(async (${names.join(', ')}) => {"use strict";\n${code}\n})`, {
        filename: id,
        importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
      })
      const run = script.runInThisContext() as (...values: unknown[]) => Promise<void>
      await run(...Object.values(given))
      Object.seal(context.__vite_ssr_exports__)
    },
    runExternalModule: (file: string): Promise<unknown> => import(file),
  }
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
