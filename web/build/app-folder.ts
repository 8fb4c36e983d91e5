// Reads an app folder: which file is which route, screen, API handler and 'use server' module (R1, R5).

import { existsSync } from 'node:fs'
import { glob, readFile } from 'node:fs/promises'
import { join, relative, resolve, sep } from 'node:path'
import { parseSync } from 'vite'
import { refuseConflicts } from '../../services/shared/wire/route-conflicts.ts'
import type { RouteFile } from '../../services/shared/wire/routes.ts'

export interface AppFolder {
  /** Absolute path. */
  dir: string
  pages: RouteFile[]
  /** '/404', '/500', '/_error'. */
  screens: RouteFile[]
  apiRoutes: RouteFile[]
  app?: string
  document?: string
  /** App-relative paths of modules that begin with 'use server'. */
  actionModules: string[]
  configFile?: string
}

/** Something that the author must change; its message names the file and the rule. */
export class BuildError extends Error {
  override name = 'BuildError'
}

const PAGE_FILE = /\.(tsx|ts|jsx|js)$/
const SCREENS: ReadonlySet<string> = new Set(['/404', '/500', '/_error'])
const SKIPPED = ['node_modules', 'dist', '.portico', 'public', '.git']

/** Scans the folder. Throws BuildError for what the build refuses (R4, F2). */
export async function readAppFolder(appDir: string): Promise<AppFolder> {
  const dir = resolve(appDir)
  if (!existsSync(join(dir, 'pages'))) throw new BuildError(`APP_DIR=${appDir}: must be a folder that holds pages/`)
  refuseMiddleware(dir)
  const folder: AppFolder = { dir, pages: [], screens: [], apiRoutes: [], actionModules: [] }
  const configFile = ['portico.config.ts', 'portico.config.js', 'portico.config.mjs'].find((name) =>
    existsSync(join(dir, name)),
  )
  if (configFile) folder.configFile = configFile
  const files = await Array.fromAsync(
    glob('**/*.{tsx,ts,jsx,js}', { cwd: dir, exclude: (name) => SKIPPED.includes(name) }),
  )
  for (const file of files.map((name) => name.split(sep).join('/')).sort()) {
    if (/\.(test|d)\.[tj]sx?$/.test(file)) continue
    if (file.startsWith('pages/')) await addPage(folder, file)
    if (await isActionModule(join(dir, file))) folder.actionModules.push(file)
  }
  refuseConflicts(folder.pages)
  refuseConflicts(folder.apiRoutes)
  if (folder.pages.length === 0) throw new BuildError(`${join(appDir, 'pages')}: must hold at least one page`)
  return folder
}

async function addPage(folder: AppFolder, file: string): Promise<void> {
  const path = file.slice('pages'.length).replace(PAGE_FILE, '')
  const pattern = path.replace(/\/index$/, '') || '/'
  if (pattern === '/api' || pattern.startsWith('/api/')) {
    folder.apiRoutes.push({ pattern, file })
    return
  }
  await refuseInitialProps(folder.dir, file)
  if (path === '/_app') folder.app = file
  else if (path === '/_document') folder.document = file
  else if (SCREENS.has(path)) folder.screens.push({ pattern: path, file })
  else folder.pages.push({ pattern, file })
}

async function refuseInitialProps(dir: string, file: string): Promise<void> {
  if (/\bgetInitialProps\b/.test(await readFile(join(dir, file), 'utf8')))
    throw new BuildError(`${file}: getInitialProps is not supported; use getServerSideProps or getStaticProps`)
}

function refuseMiddleware(dir: string): void {
  for (const name of ['middleware.ts', 'middleware.js', 'src/middleware.ts', 'proxy.ts'])
    if (existsSync(join(dir, name)))
      throw new BuildError(
        `${name}: middleware is not supported; use redirects, rewrites and headers in portico.config.ts, or getServerSideProps`,
      )
}

async function isActionModule(path: string): Promise<boolean> {
  const code = await readFile(path, 'utf8')
  return hasUseServer(code, path)
}

/** Whether a module's first statements hold the directive. */
export function hasUseServer(code: string, path: string): boolean {
  if (!code.includes('use server')) return false
  const { program } = parseSync(path, code)
  return program.body.some(
    (node) => node.type === 'ExpressionStatement' && 'directive' in node && node.directive === 'use server',
  )
}

/** An absolute path as the app folder's author would write it. */
export function appRelative(dir: string, path: string): string {
  return relative(dir, path).split(sep).join('/')
}
