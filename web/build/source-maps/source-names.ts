// The names of sources in source maps: equal on every machine, wherever Portico and packages are installed (F3).

import { dirname, resolve } from 'node:path'
import { appRelative } from '../folder/source-paths.ts'
import { FRAMEWORK, isShared } from '../framework-files.ts'

/** Begin of the names of the framework's own sources, which are in no folder of the site. */
const OF_FRAMEWORK = 'portico:///'

/**
 * The bundler's `sourcemapPathTransform`. A source in the app folder has its path there, one of a package its path from
 * node_modules.
 */
export function sourceNames(appDir: string): (source: string, mapFile: string) => string {
  return (source, mapFile) => {
    const path = resolve(dirname(mapFile), source)
    if (isShared(path)) return OF_FRAMEWORK + appRelative(FRAMEWORK, path)
    const name = appRelative(appDir, path)
    const packages = name.lastIndexOf('node_modules/')
    return packages < 0 ? name : name.slice(packages)
  }
}

/** Whether the source of this name is in the app folder, and of no package. */
export function isOfSite(name: string): boolean {
  return !name.startsWith(OF_FRAMEWORK) && !name.startsWith('../') && !/(^|\/)node_modules\//.test(name)
}
