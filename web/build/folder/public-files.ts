// The files in public/, which are served as they are, and files that no browser receives, whatever names them (V3):
// environment files, keys, databases, and what has a dot in front. The development server sends none of them, and no link in
// public/ may lead to one.

import { existsSync } from 'node:fs'
import { glob, readlink, realpath, stat } from 'node:fs/promises'
import { basename, isAbsolute, join, relative, sep } from 'node:path'
import type { RouteFile } from '@portico/shared/wire/build-output.ts'
import { DATA_FOLDER } from '@portico/shared/wire/constants.ts'
import picomatch from 'picomatch'
import { BuildError, type RefuseFault, throwFault } from '../build-error.ts'
import { appRelative } from '../source/source.ts'

/** Names of files, in any case. */
export const NEVER_SENT_NAMES = [
  '.*',
  '*.env',
  '*.env.*',
  '*.{pem,key,crt,p12,pfx,jks,keystore,kdbx,ppk,secret}',
  'id_{rsa,dsa,ecdsa,ed25519}*',
  '*.{sqlite,sqlite3,db}',
  '*.{sqlite,sqlite3,db}-*',
]

/** Folders outside of the app folder, where other folders with a dot in front hold packages. */
const PRIVATE_FOLDERS = ['.git', '.ssh', '.gnupg', '.aws', '.azure', '.gcloud', '.kube', '.docker']
const isNeverName = picomatch(NEVER_SENT_NAMES, { nocase: true, dot: true })

/**
 * Whether a file (absolute path) is never sent.
 *
 * @example isNeverSent('/site/.npmrc', '/site') // true
 */
export function isNeverSent(file: string, appDir: string): boolean {
  if (isNeverName(basename(file))) return true
  const inside = relative(appDir, file)
  const isInside = !isAbsolute(inside) && inside !== '..' && !inside.startsWith(`..${sep}`)
  const folders = (isInside ? inside : file).toLowerCase().split(sep).slice(0, -1)
  return folders.some((folder, index) => {
    if (folder === DATA_FOLDER || PRIVATE_FOLDERS.includes(folder)) return true
    // Package managers keep packages in node_modules/.pnpm and the like; .portico is generated.
    return (
      isInside &&
      folder.startsWith('.') &&
      folders[index - 1] !== 'node_modules' &&
      !(index === 0 && folder === '.portico')
    )
  })
}

/** The URL paths of the files in public/, without broken links. Throws BuildError for a link to a file that must not be public. */
export async function publicPaths(appDir: string): Promise<string[]> {
  const dir = join(appDir, 'public')
  if (!existsSync(dir)) return []
  const names = await listFiles(dir)
  await Promise.all(names.map((name) => refuseLinkedSecret(appDir, join('public', name))))
  return names.map((name) => `/${name}`)
}

/** SECURITY: a link is what it leads to. A file that is itself in public/ is public whatever its name is. */
async function refuseLinkedSecret(appDir: string, name: string): Promise<void> {
  const [root, file] = await Promise.all([realpath(appDir), unlessGone(realpath(join(appDir, name)))])
  if (file === undefined || file.startsWith(join(root, 'public') + sep) || !isNeverSent(file, root)) return
  throw new BuildError(
    `${name}: leads to ${relative(root, file)}, which must not be public; replace the link by a file of what may be`,
  )
}

/** A sorted line for each link in public/ that leads to nothing: it is left out of what is served, as in Next.js. */
export async function brokenLinks(appDir: string): Promise<string[]> {
  const lines: string[] = []
  for await (const entry of glob('**/*', { cwd: join(appDir, 'public'), withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    if (!entry.isSymbolicLink() || (await unlessGone(stat(path)))) continue
    const target = await unlessGone(readlink(path))
    const rest = `which does not exist: it is not served; remove the link, or put the file in its place`
    if (target !== undefined) lines.push(`${appRelative(appDir, path)}: is a link to ${target}, ${rest}`)
  }
  return lines.sort()
}

/** Undefined for a path that leads to nothing: that of a broken link, or of a file that was removed after it was listed. */
export function unlessGone<Found>(found: Promise<Found>): Promise<Found | undefined> {
  return found.catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ELOOP') return undefined
    throw error
  })
}

/** Throws BuildError for a public file with the path of a page or API handler, or passes each to `refuse`. */
export function refuseShadowedPages(
  { pages, apiRoutes }: Readonly<Record<'pages' | 'apiRoutes', readonly RouteFile[]>>,
  publicPaths: readonly string[],
  refuse: RefuseFault = throwFault,
): void {
  for (const { pattern, file } of [...pages, ...apiRoutes])
    if (publicPaths.includes(pattern))
      refuse(new BuildError(`public${pattern} and ${file}: a public file and a page must not have the same path`))
}

/** Sorted names of all files below a folder, with forward slashes; names with a dot in front only in .well-known, no broken links. */
export async function listFiles(dir: string): Promise<string[]> {
  // A star matches no name that begins with a dot.
  const names = await Array.fromAsync(glob(['**/*', '**/.well-known/**'], { cwd: dir }))
  const files: string[] = []
  for (const name of new Set(names)) {
    if (name.split(sep).some((part) => part.startsWith('.') && part !== '.well-known')) continue
    if ((await unlessGone(stat(join(dir, name))))?.isFile()) files.push(name.split(sep).join('/'))
  }
  return files.sort()
}
