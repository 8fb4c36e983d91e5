// Where the programs of the framework are: in this repository, or in an installed package (`npm test -- --package`).

import { join } from 'node:path'
import { root } from '../../checks/sources.ts'

/** A folder in whose node_modules the package is installed. Temporary sites are below this folder, too (TMPDIR). */
const installed = process.env.PORTICO_TEST_PACKAGE
export const isPackage = installed !== undefined

/** Folder of the repository or of the package. */
const framework = installed === undefined ? root : join(installed, 'node_modules', 'portico')

/** The command `portico`. */
export const PORTICO = join(framework, 'services/stack/portico.mjs')

/** A program of the framework by its path without extension, for example `web/build/cli`. */
export function program(path: string): string {
  return join(framework, `${path}.${isPackage ? 'js' : 'ts'}`)
}

/** The program of a service in production. */
export function serviceProgram(service: string): string {
  return program(`${isPackage ? 'bundles' : 'services'}/${service}/main`)
}

/** Part of the command line of a service's process, in production and under development. */
export function processOf(service: string): string {
  return `/${service}/main.${isPackage ? 'js' : 'ts'}`
}
