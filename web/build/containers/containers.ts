// Collects what the container of each service holds (K4): the compiled service, its native packages, the parts of the build
// that the service reads, and for code of the site its packages and the files that travel with it.
// Guarantees: nothing that the site does not need at run time, no ignored and no secret file; equal inputs give equal
// folders.
// Leaves the command line to containers-cli.ts, and the list of packages that a bundle has Node load to packages.

import { existsSync } from 'node:fs'
import { copyFile, cp, readdir, realpath, stat, symlink, writeFile } from 'node:fs/promises'
import { join, normalize, relative } from 'node:path'
import { BuildError } from '../build-error.ts'
import { readDependencies } from '../package-json.ts'
import { LOADED_PACKAGES_FILE, readLoadedPackages } from '../packages/packages.ts'
import { copyPackages, readPackageTree } from './package-tree.ts'
import { readSbom, SBOM_FILE } from './sbom.ts'
import { commonFolder, copyReadable, copyTraced, type TracedFiles, traceFiles } from './traced-files.ts'
import { readTravellingFiles } from './travelling-files.ts'

interface ServiceParts {
  /** Native packages of the service itself, installed with Portico. */
  packages: readonly string[]
  /** Entries of dist/. */
  dist: readonly string[]
  /** The bundle of the site that the service runs. */
  runs?: 'server' | 'actions'
}

const SERVICES = {
  gateway: { packages: [], dist: ['manifest.json', 'client', 'public'] },
  renderer: { packages: [], dist: ['manifest.json', 'server', 'prerendered'], runs: 'server' },
  images: { packages: ['sharp'], dist: ['manifest.json'] },
  actions: { packages: [], dist: ['manifest.json', 'actions'], runs: 'actions' },
} as const satisfies Record<string, ServiceParts>

/** Folder of the site in each container; the working directory of the services that run its code. */
const SITE = 'site'
/** SECURITY: all who can pull an image can read its files; a container has its secrets from its environment. */
const SECRET_FILE = /(^|\/)([^/]*\.env|\.env\.[^/]*|\.envrc|\.netrc|\.npmrc|\.yarnrc(\.yml)?)$/
/** Folder of the workspace in a container, where packages of the site are outside of its folder. */
const WORKSPACE = 'workspace'

interface CollectOptions {
  appDir: string
  /** New or empty; receives a folder for each service. */
  output: string
  /** Folder of the installed package of Portico. */
  framework: string
}

interface Collected {
  /** Bytes of the folder of each service. */
  bytes: Record<string, number>
  /** Names in serverExternalPackages that are not installed. */
  missing: readonly string[]
  /** Why there is no list of the site's packages. */
  withoutSbom: string | undefined
}

/** Writes the folders of the four services, and the list of packages into each and next to them. Throws BuildError for what is missing. */
export async function collectServices({ appDir, output, framework }: CollectOptions): Promise<Collected> {
  const dist = join(appDir, 'dist')
  if (!existsSync(join(dist, LOADED_PACKAGES_FILE)))
    throw new BuildError(`APP_DIR=${appDir}: has no build; run portico build first`)
  if (!existsSync(join(framework, 'bundles')))
    throw new BuildError('portico containers --output: is a command of the installed package; run npm run pack first')
  await refuseFilled(output)
  const [site, sbom] = await Promise.all([readSite(appDir, dist), readSbom(appDir, framework)])
  const bytes: Record<string, number> = {}
  for (const [service, parts] of Object.entries<ServiceParts>(SERVICES)) {
    const target = join(output, service)
    await copyService(framework, service, target)
    const { packages, missing } = await readPackageTree(framework, parts.packages)
    if (missing.length > 0) throw new BuildError(`${missing.join(', ')}: must be installed; run npm install`)
    await copyPackages(packages, target)
    const traced = parts.runs && site.traced[parts.runs]
    const folder = traced ? await copySite(appDir, { files: site.files, traced }, target) : join(target, SITE)
    await copyBuild(dist, parts.dist, join(folder, 'dist'))
    if (sbom.text !== undefined) await writeFile(join(target, SBOM_FILE), sbom.text)
    bytes[service] = await bytesOf(target)
  }
  if (sbom.text !== undefined) await writeFile(join(output, SBOM_FILE), sbom.text)
  return { bytes, missing: site.traced.server.missing, withoutSbom: sbom.reason }
}

/** `readdir` with `recursive` follows links of folders, of which pnpm has several to most packages. */
async function bytesOf(folder: string): Promise<number> {
  const entries = await readdir(folder, { withFileTypes: true })
  const sizes = entries.map(async (entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return bytesOf(path)
    return entry.isFile() ? (await stat(path)).size : 0
  })
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
}

async function refuseFilled(output: string): Promise<void> {
  // A new folder. Any other fault is also that of the first write, which reports it.
  const names = await readdir(output).catch(() => [])
  if (names.length > 0)
    throw new BuildError(
      `--output=${output}: must be a new or empty folder; it contains ${names.slice(0, 3).join(', ')}`,
    )
}

/** Source maps stay in the package: nothing in a container reads them, and they are larger than the code. */
async function copyService(framework: string, service: string, target: string): Promise<void> {
  await cp(join(framework, 'bundles', service), join(target, 'services', service), {
    recursive: true,
    filter: (path) => !path.endsWith('.map'),
  })
  await copyFile(join(framework, 'bundles/licenses.txt'), join(target, 'licenses.txt'))
  await copyFile(join(framework, 'docker/ready.sh'), join(target, 'ready.sh'))
  await writeFile(join(target, 'package.json'), '{ "private": true, "type": "module" }\n')
}

/** Not every site has public files. */
async function copyBuild(dist: string, parts: readonly string[], target: string): Promise<void> {
  for (const part of parts.filter((name) => existsSync(join(dist, name))))
    await cp(join(dist, part), join(target, part), { recursive: true })
}

interface Site {
  files: readonly string[]
  traced: Readonly<Record<'server' | 'actions', TracedFiles>>
}

async function readSite(appDir: string, dist: string): Promise<Site> {
  const installed = await readFilePackages(appDir)
  const isPackage = (file: string) => installed.some((path) => file === path || file.startsWith(`${path}/`))
  const files = (await readTravellingFiles(appDir)).filter((file) => !SECRET_FILE.test(file) && !isPackage(file))
  const { server, actions, named } = await readLoadedPackages(dist)
  const cache = {}
  const traced = {
    server: await traceFiles(appDir, server, { bundle: 'server', named, cache }),
    actions: await traceFiles(appDir, actions, { bundle: 'actions', named, cache }),
  }
  return { files, traced }
}

/** Paths of `file:` dependencies, such as vendor/portico-1.0.0.tgz: code imports them from node_modules. */
async function readFilePackages(appDir: string): Promise<string[]> {
  const versions = Object.values(await readDependencies(appDir)).map(String)
  return versions
    .filter((version) => version.startsWith('file:'))
    .map((version) => normalize(version.slice('file:'.length)))
}

/**
 * Returns the folder of the site. Where packages are in a workspace around the site, files have the same places as there, and
 * `site` is a link.
 */
async function copySite(
  appDir: string,
  { files, traced }: { files: readonly string[]; traced: TracedFiles },
  target: string,
): Promise<string> {
  const dir = await realpath(appDir)
  const common = commonFolder(dir, traced.files)
  const folder = common === dir ? join(target, SITE) : join(target, WORKSPACE, relative(common, dir))
  for (const file of files) await copyReadable(join(appDir, file), join(folder, file))
  await copyTraced(traced.files, common, common === dir ? folder : join(target, WORKSPACE))
  if (common !== dir) await symlink(relative(target, folder), join(target, SITE))
  return folder
}
