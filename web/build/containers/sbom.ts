// The software bill of materials of a site's images (K4): CycloneDX, made by `npm sbom` from the lock file. The same lock
// file and the same npm make the same bytes.

import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'

export const SBOM_FILE = 'sbom.cdx.json'

const LOCK_FILE = 'package-lock.json'
const ARGUMENTS = ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only', '--omit', 'dev']
/** 1000 packages are 1 MB. */
const MAX_OUTPUT_BYTES = 64 * 2 ** 20
const REASON_LINES = 2
/** npm reads a lock file of 1000 packages in one second. */
const TIMEOUT_MS = 60_000

interface Sbom {
  serialNumber?: string
  metadata: { timestamp?: string; component: { 'bom-ref': string; name: string } }
  components: { 'bom-ref': string }[]
  dependencies: { ref: string }[]
}

/** The text of the file, or why there is none: a site can be installed and built without. */
type SbomResult = { text: string; reason?: undefined } | { text?: undefined; reason: string }

/**
 * The production packages of the lock files of the site and of Portico, which is one file unless Portico is installed
 * outside the site.
 *
 * @example const { text, reason } = await readSbom(appDir, '/site/node_modules/portico')
 */
export async function readSbom(appDir: string, framework: string): Promise<SbomResult> {
  const own = findLockFolder(appDir)
  if (own === undefined) return { reason: `the site has no ${LOCK_FILE}` }
  const other = findLockFolder(framework) ?? own
  try {
    return { text: mergeSboms(await runNpm(own), other === own ? [] : [await runNpm(other)]) }
  } catch (error) {
    return { reason: reasonOf(error) }
  }
}

function mergeSboms(sbom: Sbom, more: readonly Sbom[]): string {
  // These would differ at each run, and npm names the project after its folder.
  delete sbom.serialNumber
  delete sbom.metadata.timestamp
  const { component } = sbom.metadata
  component.name = component['bom-ref'].slice(0, component['bom-ref'].lastIndexOf('@'))
  const unique = <One>(key: (one: One) => string, lists: One[][]) => [
    ...new Map(lists.flat().map((one) => [key(one), one])).values(),
  ]
  const all = [sbom, ...more]
  const merged: Sbom = {
    ...sbom,
    components: unique(
      (one) => one['bom-ref'],
      all.map(({ components }) => components),
    ),
    dependencies: unique(
      ({ ref }) => ref,
      all.map(({ dependencies }) => dependencies),
    ),
  }
  return `${JSON.stringify(merged, null, 1)}\n`
}

/** The nearest folder with a lock file: workspaces have theirs above. */
function findLockFolder(start: string): string | undefined {
  for (let folder = start; ; folder = dirname(folder)) {
    if (existsSync(join(folder, LOCK_FILE))) return folder
    if (dirname(folder) === folder) return undefined
  }
}

async function runNpm(folder: string): Promise<Sbom> {
  // Under `npm run --silent` npm would not print its reason.
  const env = { ...process.env, npm_config_loglevel: 'error' }
  const limits = { maxBuffer: MAX_OUTPUT_BYTES, timeout: TIMEOUT_MS }
  const { stdout } = await promisify(execFile)('npm', ARGUMENTS, { cwd: folder, env, ...limits })
  // Packages that are files, such as vendor/portico-1.0.0.tgz, without the folder. Written by npm in the format that
  // ARGUMENTS name.
  return JSON.parse(stdout.replaceAll(`"file:${folder}/`, '"file:')) as Sbom
}

/** npm requires more than an installation: no peer may be missing. Its usage and the name of its log follow. */
function reasonOf(error: unknown): string {
  const isLate = error instanceof Error && 'killed' in error && error.killed === true
  if (isLate) return `npm sbom did not end within ${TIMEOUT_MS / 1000} s`
  const output = error instanceof Error && 'stderr' in error ? String(error.stderr) : ''
  const lines = output.split('\n').filter((line) => line.startsWith('npm error '))
  const shown = lines.slice(0, REASON_LINES).map((line) => line.slice('npm error '.length))
  return `npm sbom failed: ${shown.join('; ') || error}`
}
