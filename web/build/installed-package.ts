// Where a package is installed.

import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** The folder of the package that a file is in; undefined for a file outside of node_modules. */
export function folderWithFile(file: string): string | undefined {
  return /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/.exec(file)?.[0]
}

/** The folder of a package as Node finds it from a folder: in node_modules of the folder, then of each parent. */
export function findInstalled(name: string, from: string): string | undefined {
  const folder = join(from, 'node_modules', name)
  if (existsSync(join(folder, 'package.json'))) return folder
  return dirname(from) === from ? undefined : findInstalled(name, dirname(from))
}
