// Paths of the framework's own files.

import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Folder of the repository. */
export const REPOSITORY = fileURLToPath(new URL('../../', import.meta.url))
const RUNTIME = join(REPOSITORY, 'web/runtime/')
const WIRE = join(REPOSITORY, 'services/shared/wire/')

export const RUNTIME_FILES = {
  config: join(RUNTIME, 'config.ts'),
  index: join(RUNTIME, 'index.ts'),
  server: join(RUNTIME, 'server/api.ts'),
  types: join(RUNTIME, 'types.d.ts'),
  actionReference: join(RUNTIME, 'react/action-reference.ts'),
  browserEntry: join(RUNTIME, 'browser/boot/start.tsx'),
  stylesheets: join(RUNTIME, 'browser/prefetch/stylesheets.ts'),
  router: join(RUNTIME, 'browser/navigation/navigation.ts'),
  deferred: join(RUNTIME, 'browser/deferred/deferred.ts'),
  submitAction: join(RUNTIME, 'browser/actions/submit-action.ts'),
  devClient: join(RUNTIME, 'browser/dev/client.ts'),
  devPage: join(RUNTIME, 'browser/dev/page.ts'),
  serverEntry: join(RUNTIME, 'server/entry.tsx'),
  actionsEntry: join(RUNTIME, 'server/actions-entry.ts'),
  testing: join(RUNTIME, 'testing/index.ts'),
  testSite: join(RUNTIME, 'testing/site.ts'),
  testingSetup: join(RUNTIME, 'testing/setup.ts'),
  testingForms: join(RUNTIME, 'testing/action-forms.ts'),
  testingVitestTypes: join(RUNTIME, 'testing/vitest-types.d.ts'),
} as const

/** A module of the compatibility with Next.js (X1). */
export function nextModule(name: string): string {
  return join(RUNTIME, 'next', name)
}

/** Whether a module is one of the runtime. */
export function isRuntime(path: string): boolean {
  return path.startsWith(RUNTIME)
}

/** Folders with the framework's browser code. */
export const SHARED_FOLDERS: readonly string[] = [RUNTIME, WIRE]
