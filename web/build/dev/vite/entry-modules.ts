// The first modules of a page under development, and their order: our connection before Vite's client, which must find
// WebSocket wrapped; the refresh hooks before React; the page last. The page's modules import Vite's client under the
// only URL that it may have.

import type { Plugin } from 'vite'
import { RUNTIME_FILES } from '../../framework-files.ts'
import { DEV_CLIENT, DEV_ENTRY } from './dev-urls.ts'

const CONNECT = 'virtual:portico/dev-connect'
const MODULES: Readonly<Record<string, string>> = {
  [CONNECT]: `import { startDevClient } from ${JSON.stringify(RUNTIME_FILES.devClient)}\nstartDevClient()`,
  [DEV_CLIENT]: [CONNECT, '@vitejs/plugin-react/preamble'].map(importLine).join('\n'),
  // A dynamic import: the page's code may be broken, and a failed static import would stop our client too.
  [DEV_ENTRY]: `${importLine(DEV_CLIENT)}\nvoid import(${JSON.stringify(RUNTIME_FILES.devPage)})`,
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
