// The files in public/, which are served as they are.

import { existsSync } from 'node:fs'
import { glob, stat } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { BuildError, type RefuseFault, throwFault } from '../build-error.ts'
import type { AppFolder } from './app-folder.ts'

/** The URL paths of the files in public/. */
export async function publicPaths(appDir: string): Promise<string[]> {
  const dir = join(appDir, 'public')
  return existsSync(dir) ? (await listFiles(dir)).map((name) => `/${name}`) : []
}

/** Throws BuildError for a public file with the path of a page or API handler, or passes each to `refuse`. */
export function refuseShadowedPages(
  { pages, apiRoutes }: AppFolder,
  publicPaths: readonly string[],
  refuse: RefuseFault = throwFault,
): void {
  for (const { pattern, file } of [...pages, ...apiRoutes])
    if (publicPaths.includes(pattern))
      refuse(new BuildError(`public${pattern} and ${file}: a public file and a page must not have the same path`))
}

/** Sorted names of all files below a folder, with forward slashes; names with a dot in front only in .well-known. */
export async function listFiles(dir: string): Promise<string[]> {
  // A star matches no name that begins with a dot.
  const names = await Array.fromAsync(glob(['**/*', '**/.well-known/**'], { cwd: dir }))
  const files: string[] = []
  for (const name of new Set(names)) {
    if (name.split(sep).some((part) => part.startsWith('.') && part !== '.well-known')) continue
    if ((await stat(join(dir, name))).isFile()) files.push(name.split(sep).join('/'))
  }
  return files.sort()
}
