// The modules that a page under development starts with, and their order: our connection before Vite's client, which
// must find its socket taken; both before React, which must find the refresh hooks; the page at last.

import { join } from 'node:path'
import type { Plugin } from 'vite'
import { RUNTIME_FILES } from './bundle-config.ts'
import { DEV_CLIENT, DEV_ENTRY } from './dev-manifest.ts'

const CLIENT = join(RUNTIME_FILES.browserEntry, '..', 'dev', 'client.ts')
const CONNECT = 'virtual:portico/dev-connect'
const MODULES: Readonly<Record<string, string>> = {
  [CONNECT]: `import { startDevClient } from ${JSON.stringify(CLIENT)}\nstartDevClient()`,
  [DEV_CLIENT]: [CONNECT, '/@vite/client', '@vitejs/plugin-react/preamble'].map(importLine).join('\n'),
  // The page's own code may be broken: a static import of it would keep the client from running, too.
  [DEV_ENTRY]: `${importLine(DEV_CLIENT)}\nvoid import(${JSON.stringify(RUNTIME_FILES.browserEntry)})`,
}

export function devModules(): Plugin {
  return {
    name: 'portico:dev-modules',
    enforce: 'pre',
    applyToEnvironment: ({ config }) => config.consumer === 'client',
    resolveId: (id) => (Object.hasOwn(MODULES, id) ? id : undefined),
    load: (id) => MODULES[id],
  }
}

function importLine(specifier: string): string {
  return `import ${JSON.stringify(specifier)}`
}
