// The packages in dist/packages, packed again when a source has changed since: for `npm run new`, and for tests.

import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DATA_FOLDER } from '@portico/shared/wire/constants.ts'
import { root } from '../checks/sources.ts'

export const PACKAGES = join(root, 'dist', 'packages')
const STAMP = join(PACKAGES, 'sources.sha256')
const SOURCES = [
  'services',
  'web/build',
  'web/runtime',
  'docs',
  'infra/package',
  'docker',
  'package.json',
  'package-lock.json',
  'LICENSE',
]
/** Names of what installs, builds and stacks write: no sources of the packages. */
export const OUTPUTS: ReadonlySet<string> = new Set([
  'node_modules',
  'dist',
  '.portico',
  DATA_FOLDER,
  'portico-env.d.ts',
])

interface Packages {
  version: string
  /** Absolute paths. */
  portico: string
  createPortico: string
  /** The files of `create-portico`, unpacked. */
  createFolder: string
}

/** Packs if needed; the progress is printed. */
export async function currentPackages(): Promise<Packages> {
  const isCurrent = existsSync(STAMP) && readFileSync(STAMP, 'utf8') === sourcesStamp()
  if (!isCurrent)
    execFileSync(process.execPath, [join(root, 'infra/package/pack.ts')], { cwd: root, stdio: ['ignore', 1, 2] })
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
  return {
    version,
    portico: join(PACKAGES, `portico-${version}.tgz`),
    createPortico: join(PACKAGES, `create-portico-${version}.tgz`),
    createFolder: join(PACKAGES, 'create-portico'),
  }
}

/** A hash of the sources of the packages: names and contents. */
export function sourcesStamp(): string {
  const hash = createHash('sha256')
  for (const file of SOURCES.flatMap(filesOf))
    hash
      .update(`${file}\0`)
      .update(readFileSync(join(root, file)))
      .update('\0')
  return hash.digest('hex')
}

function filesOf(path: string): string[] {
  if (!statSync(join(root, path)).isDirectory()) return [path]
  const names = readdirSync(join(root, path)).filter((name) => !OUTPUTS.has(name))
  return names.sort().flatMap((name) => filesOf(`${path}/${name}`))
}

/** Called when the packages are complete. */
export async function writeStamp(stamp: string): Promise<void> {
  await writeFile(STAMP, stamp)
}
