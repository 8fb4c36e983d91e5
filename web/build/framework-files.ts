// Paths of the framework's own files: TypeScript in the repository, compiled in the installed package, in the same tree.

import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const isCompiled = import.meta.url.endsWith('.js')
/** Folder of the repository or of the installed package. */
export const FRAMEWORK = fileURLToPath(new URL('../../', import.meta.url))
const RUNTIME = join(FRAMEWORK, 'web/runtime/')
const WIRE = join(FRAMEWORK, 'services/shared/wire/')

export const RUNTIME_FILES = {
  config: code('config.ts'),
  index: code('index.ts'),
  server: code('server/api.ts'),
  types: join(RUNTIME, 'types.d.ts'),
  actionReference: code('react/action-reference.ts'),
  browserEntry: code('browser/boot/start.tsx'),
  stylesheets: code('browser/stylesheets.ts'),
  router: code('browser/navigation/navigation.ts'),
  deferred: code('browser/deferred/deferred.ts'),
  submitAction: code('browser/actions/submit-action.ts'),
  devClient: code('browser/dev/client.ts'),
  devPage: code('browser/dev/page.ts'),
  serverEntry: code('server/entry.tsx'),
  actionsEntry: code('server/actions-entry.ts'),
  testing: code('testing/index.ts'),
  testSite: code('testing/site.ts'),
  testingSetup: code('testing/setup.ts'),
  testingForms: code('testing/action-forms.ts'),
  testingVitestTypes: join(RUNTIME, 'testing/vitest-types.d.ts'),
} as const

/** A module of the runtime, by its path in the repository. */
export function runtimeModule(path: string): string {
  return code(path)
}

/** Whether a module is one of the runtime. */
export function isRuntime(path: string): boolean {
  return path.startsWith(RUNTIME)
}

/** Folders with the framework's browser code. */
export const SHARED_FOLDERS: readonly string[] = [RUNTIME, WIRE]

/** Whether a module is the framework's browser code. */
export function isShared(path: string): boolean {
  return SHARED_FOLDERS.some((folder) => path.startsWith(folder))
}

/**
 * The folder of a package that the framework depends on, wherever npm installed it; undefined when it is not installed.
 */
export function packageFolder(name: string): string | undefined {
  try {
    return dirname(createRequire(import.meta.url).resolve(`${name}/package.json`))
  } catch {
    return undefined
  }
}

function code(file: string): string {
  return join(RUNTIME, isCompiled ? file.replace(/\.tsx?$/, '.js') : file)
}
