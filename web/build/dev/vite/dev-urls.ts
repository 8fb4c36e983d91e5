// URLs of the modules under development.

import { devSocketPath } from '@portico/shared/wire/dev/dev-wire.ts'

/** Ids of the virtual modules in entry-modules.ts. */
export const DEV_ENTRY = 'virtual:portico/dev-entry'
export const DEV_CLIENT = 'virtual:portico/dev-client'

/** Vite's base path: the URLs of all development modules begin with it. */
export function devBase(basePath: string): string {
  return `${devSocketPath(basePath)}/`
}

/** URL of a virtual module. */
export function devModuleUrl(basePath: string, name: string): string {
  return `${devBase(basePath)}@id/${name}`
}
