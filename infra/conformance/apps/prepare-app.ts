// Writes an app twice, once for each framework, with its packages in the folder above both: what a build writes into one
// is not seen by the other.

import { existsSync } from 'node:fs'
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { root } from '../../checks/sources.ts'
import { run } from '../../e2e/harness/processes.ts'
import { cloneOf, type ForeignApp } from './apps.ts'

export interface PreparedApp {
  portico: string
  next: string
}

const FOLDER = 'portico-foreign-apps'
/** In the installation of Next.js, which is in a folder above; both frameworks run on the same React. */
const SHARED = /^(next|react|react-dom|typescript|@types\/(node|react|react-dom))$/
/** What no build needs. */
const TOOLS = /eslint|^(@types\/)?jest|prettier|^(husky|gulp.*|lint-staged)$/
const INSTALL = ['install', '--no-fund', '--no-audit', '--loglevel=error', '--ignore-scripts', '--legacy-peer-deps']

/** `installed` is the installation of Next.js. The same versions of packages are installed once for several runs. */
export async function prepareApp(app: ForeignApp, installed: string): Promise<PreparedApp> {
  const folder = join(installed, FOLDER, app.name)
  const [portico, next] = [join(folder, 'portico'), join(folder, 'next')]
  await mkdir(folder, { recursive: true })
  await Promise.all([portico, next].map((path) => rm(path, { recursive: true, force: true })))
  if (app.package) await createApp(app.package, app.arguments ?? '', folder)
  else if (app.site) await cp(join(root, app.site), portico, { recursive: true })
  else await checkOut(app, folder, portico)
  await cp(portico, next, { recursive: true })
  if (app.upgrade) await upgradeFile(join(next, app.upgrade.file), app.upgrade.removes)
  await installPackages(folder, join(portico, 'package.json'), app.scripts)
  for (const command of app.before ?? []) for (const copy of [portico, next]) await must('sh', ['-c', command], copy)
  return { portico, next }
}

async function createApp(specifier: string, args: string, folder: string): Promise<void> {
  const tool = join(folder, '..', specifier)
  const name = specifier.slice(0, specifier.lastIndexOf('@'))
  const program = join(tool, 'node_modules', '.bin', name)
  if (!existsSync(program)) {
    await mkdir(tool, { recursive: true })
    await writeFile(join(tool, 'package.json'), '{ "private": true }\n')
    await must('npm', [...INSTALL, specifier], tool)
  }
  await must(program, ['portico', ...args.split(' ')], folder)
}

/** From the history, whatever is checked out. */
async function checkOut(app: ForeignApp, folder: string, to: string): Promise<void> {
  const archive = join(folder, 'app.tar')
  const tree = `${app.commit}:${app.folder === '.' ? '' : app.folder}`
  await must('git', ['-C', cloneOf(app) ?? '', 'archive', `--output=${archive}`, tree], folder)
  await mkdir(to)
  await must('tar', ['-xf', archive, '-C', to], folder)
}

async function upgradeFile(path: string, removed: string): Promise<void> {
  const content = await readFile(path, 'utf8')
  if (!content.includes(removed)) throw new Error(`${path} does not have ${removed}`)
  await writeFile(path, content.replace(removed, ''))
}

async function installPackages(folder: string, manifest: string, scripts: string[] = []): Promise<void> {
  const { dependencies, devDependencies } = JSON.parse(await readFile(manifest, 'utf8')) as Manifest
  const wanted = Object.entries({ ...devDependencies, ...dependencies }).filter(
    ([name]) => !SHARED.test(name) && !TOOLS.test(name),
  )
  const rebuilt = scripts.length > 0 ? { rebuilt: scripts } : {}
  const written = JSON.stringify({ private: true, dependencies: Object.fromEntries(wanted), ...rebuilt })
  const path = join(folder, 'package.json')
  const isInstalled = existsSync(path) && (await readFile(path, 'utf8')) === written
  if (isInstalled || wanted.length === 0) return
  await rm(join(folder, 'node_modules'), { recursive: true, force: true })
  await writeFile(path, written)
  try {
    await must('npm', [...INSTALL, '--prefer-offline', '--omit=peer'], folder)
    if (scripts.length > 0) await must('npm', ['rebuild', ...scripts], folder)
  } catch (error) {
    await rm(path)
    throw error
  }
}

interface Manifest {
  dependencies?: Record<string, string>
  devDependencies?: Record<string, string>
}

async function must(program: string, args: string[], cwd: string): Promise<void> {
  const { code, output } = await run(program, args, { cwd })
  if (code !== 0) throw new Error(`${program} ${args.join(' ')} ended with code ${code}\n${output.slice(-3000)}`)
}
