// Modules of the server that threw when they ran run again at their next import: what they lacked may be there then, such as
// a package that was installed meanwhile. Vite's runner keeps their error until a file changes.

import type { DevEnvironment } from 'vite'
import type { EvaluatedModuleNode, ModuleEvaluator, ModuleRunner } from 'vite/module-runner'

interface FailedModulesDeps {
  environment: DevEnvironment
  /** The runner of the evaluator. */
  runner: () => ModuleRunner
  /** Called when a module has run that had thrown before. */
  onHealed: () => void
}

/** Wraps an evaluator; importers of a module that throws throw, too, so each is forgotten on its own. */
export function forgetFailed(
  evaluator: ModuleEvaluator,
  { environment, runner, onHealed }: FailedModulesDeps,
): ModuleEvaluator {
  const failed = new Set<string>()
  const forget = ({ id }: Readonly<EvaluatedModuleNode>) => {
    failed.add(id)
    const { moduleGraph } = environment
    // What its imports led to is part of the transformed code.
    const transformed = moduleGraph.getModuleById(id)
    if (transformed) moduleGraph.invalidateModule(transformed)
    const { evaluatedModules } = runner()
    const run = evaluatedModules.getModuleById(id)
    if (run) evaluatedModules.invalidateModule(run)
  }
  return {
    ...(evaluator.startOffset !== undefined && { startOffset: evaluator.startOffset }),
    runExternalModule: (file) => evaluator.runExternalModule(file),
    async runInlinedModule(context, code, module) {
      try {
        await evaluator.runInlinedModule(context, code, module)
      } catch (error) {
        forget(module)
        throw error
      }
      if (failed.delete(module.id)) onHealed()
    },
  }
}
