// Reads an app folder: which file is which route, screen, API handler and 'use server' module (R1, R5).

import { existsSync } from 'node:fs'
import { glob, readFile } from 'node:fs/promises'
import { join, relative, resolve, sep } from 'node:path'
import { RouteConflictError, refuseConflicts } from '../../../services/shared/wire/route-conflicts.ts'
import type { RouteFile } from '../../../services/shared/wire/routes.ts'
import { type Node, parseModule, someNode } from './module-syntax.ts'

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
/** Folders of the app folder itself that hold no source; deeper ones of the same name may be routes. */
const SKIPPED = ['dist', '.portico', 'public', '.git']
const MIDDLEWARE = /^(src\/)?(middleware|proxy)\.([cm]?[tj]s|[tj]sx)$|^pages\/(.*\/)?_middleware\.[tj]sx?$/

/** Scans the folder. Throws BuildError for what the build refuses (R4, F2). */
export async function readAppFolder(appDir: string): Promise<AppFolder> {
  const dir = resolve(appDir)
  if (!existsSync(join(dir, 'pages'))) throw new BuildError(`APP_DIR=${appDir}: must be a folder that holds pages/`)
  const folder: AppFolder = { dir, pages: [], screens: [], apiRoutes: [], actionModules: [] }
  const configFile = ['portico.config.ts', 'portico.config.js', 'portico.config.mjs'].find((name) =>
    existsSync(join(dir, name)),
  )
  if (configFile) folder.configFile = configFile
  for (const file of await sourceFiles(dir)) {
    refuseMiddleware(file)
    if (!PAGE_FILE.test(file) || /\.(test|d)\.[tj]sx?$/.test(file)) continue
    if (file.startsWith('pages/')) await addPage(folder, file)
    if (hasUseServer(await readFile(join(dir, file), 'utf8'), file)) folder.actionModules.push(file)
  }
  refuseConflicts(folder.pages)
  refuseConflicts(folder.screens)
  refuseConflicts(folder.apiRoutes)
  if (folder.pages.length === 0) throw new BuildError(`${join(appDir, 'pages')}: must hold at least one page`)
  return folder
}

/** App-relative and sorted, so that machines agree. */
async function sourceFiles(dir: string): Promise<string[]> {
  const entries = await Array.fromAsync(
    glob('**/*.{tsx,ts,jsx,js,mts,mjs,cts,cjs}', {
      cwd: dir,
      withFileTypes: true,
      exclude: ({ name, parentPath }) =>
        name === 'node_modules' || (SKIPPED.includes(name) && resolve(parentPath) === dir),
    }),
  )
  return entries
    .filter((entry) => entry.isFile() || entry.isSymbolicLink())
    .map(({ name, parentPath }) => appRelative(dir, join(parentPath, name)))
    .sort()
}

async function addPage(folder: AppFolder, file: string): Promise<void> {
  const path = file.slice('pages'.length).replace(PAGE_FILE, '')
  const pattern = path.replace(/\/index$/, '') || '/'
  if (pattern === '/api' || pattern.startsWith('/api/')) {
    folder.apiRoutes.push({ pattern, file })
    return
  }
  await refuseInitialProps(folder.dir, file)
  if (pattern === '/_app') folder.app = onlyOne(folder.app, file)
  else if (pattern === '/_document') folder.document = onlyOne(folder.document, file)
  else if (SCREENS.has(pattern)) folder.screens.push({ pattern, file })
  else folder.pages.push({ pattern, file })
}

function onlyOne(other: string | undefined, file: string): string {
  if (other) throw new RouteConflictError(`${file} and ${other}: two files for one purpose`)
  return file
}

/** `Page.getInitialProps = …` and `static getInitialProps`; text may speak of it. */
async function refuseInitialProps(dir: string, file: string): Promise<void> {
  const code = await readFile(join(dir, file), 'utf8')
  if (!code.includes('getInitialProps')) return
  const isInitialProps = ({ type, name }: Node) => type === 'Identifier' && name === 'getInitialProps'
  if (parseModule(code, file).some((node) => someNode(node, isInitialProps)))
    throw new BuildError(`${file}: getInitialProps is not supported; use getServerSideProps or getStaticProps`)
}

function refuseMiddleware(file: string): void {
  if (MIDDLEWARE.test(file))
    throw new BuildError(
      `${file}: middleware is not supported; use redirects, rewrites and headers in portico.config.ts, or getServerSideProps`,
    )
}

/** Whether a module begins with the directive. Throws BuildError when it stands anywhere else (A1). */
export function hasUseServer(code: string, file: string): boolean {
  if (!code.includes('use server')) return false
  const body = parseModule(code, file)
  const isDirective = ({ type, expression }: Node) =>
    type === 'ExpressionStatement' && (expression as Node).value === 'use server'
  // The parser marks directives behind imports too.
  const firstOther = body.findIndex((node) => !isText(node))
  const head = firstOther < 0 ? body : body.slice(0, firstOther)
  if (head.some(isDirective)) return true
  if (body.some((node) => someNode(node, isDirective)))
    throw new BuildError(`${file}: 'use server' must be the first statement of the file, not of a function in it`)
  return false
}

function isText({ type, expression }: Node): boolean {
  return type === 'ExpressionStatement' && typeof (expression as Node).value === 'string'
}

/** The object in a JSON file of the app folder. Throws BuildError with the file's name when there is none. */
export function parseAuthorsJson(text: string, file: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error('must hold an object')
    return value as Record<string, unknown>
  } catch (cause) {
    throw new BuildError(`${file}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause })
  }
}

/** An absolute path as the app folder's author would write it. */
export function appRelative(dir: string, path: string): string {
  return relative(dir, path).split(sep).join('/')
}
