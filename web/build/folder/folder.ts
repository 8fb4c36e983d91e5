// Reads an app folder: which files are pages, screens, API handlers, middleware, 'use server' modules and public files (R1,
// R5).
// Guarantees: runs no file; lists are sorted, so that every machine has the same order; what the build refuses of one source
// (R4, F2) is reported with file and line, each fault once.
// Leaves portico.config.* to config and load-config.ts, and the code of modules to transforms.

import { existsSync } from 'node:fs'
import { glob, realpath } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { RouteFile } from '@portico/shared/wire/build-output.ts'
import { DATA_FOLDER } from '@portico/shared/wire/constants.ts'
import { APP_ROUTERS, pagesRule } from '@portico/shared/wire/errors/pages-rule.ts'
import { RouteConflictError, routeConflicts } from '@portico/shared/wire/routing/route-conflicts.ts'
import { isApiPath } from '@portico/shared/wire/routing/urls.ts'
import { attempt, authorError, BuildError, type RefuseFault, throwFault } from '../build-error.ts'
import { findConfigFile } from '../config/config.ts'
import { type FolderRules, ownSettings } from '../mode.ts'
import {
  appRelative,
  childOf,
  commonJsNames,
  DATA_FUNCTIONS,
  exportOffset,
  findNode,
  isEsModule,
  isMarkdown,
  type Node,
  parseModule,
  readSource,
} from '../source/source.ts'
import { type MiddlewareFile, type MiddlewarePlace, middlewareName, readMiddleware } from './middleware-file.ts'
import { checkApiConfig, type PageConfig, readPageConfig } from './route-config.ts'

export { contentHash, type GeneratedFiles, readAssetsScript, readGeneratedFiles, runAssetsScript } from './assets.ts'
export { ignoredMiddlewareMembers, middlewareLine } from './middleware-file.ts'
export {
  brokenLinks,
  isNeverSent,
  listFiles,
  NEVER_SENT_NAMES,
  publicPaths,
  refuseShadowedPages,
  unlessGone,
} from './public-files.ts'
export { ignoredMembers, type PageConfig } from './route-config.ts'

interface PageFile extends RouteFile, PageConfig {}

export interface AppFolder {
  /** Absolute path without symbolic links: the bundler resolves links, and modules are compared with this path. */
  dir: string
  pages: PageFile[]
  /** '/404', '/500', '/_error'. */
  screens: RouteFile[]
  apiRoutes: RouteFile[]
  app?: string
  document?: string
  middleware?: MiddlewareFile
  /** `_app` exports `reportWebVitals`, in compatibility mode. */
  hasVitals?: true
  /** Run when renderer and actions service start, and next to every other code of the browser (X16). */
  instrumentation?: string
  instrumentationClient?: string
  /** `instrumentation-client` may export `onError`. */
  hasErrorHook?: true
  /** App-relative paths of the modules that begin with 'use server'. */
  actionModules: string[]
  /** Name of the portico.config.* file. */
  configFile?: string
}

const SCREENS: ReadonlySet<string> = new Set(['/404', '/500', '/_error'])
/** Folders without sources, at the top level of the app folder; deeper folders with the same names may be routes. */
const SKIPPED = ['dist', '.portico', DATA_FOLDER, 'public', '.git']

/** The screens with that of paths without a page: `_error` is also this screen in a folder without `404` (R5). */
export function screensOf({ screens }: Pick<AppFolder, 'screens'>): RouteFile[] {
  const error = screens.find(({ pattern }) => pattern === '/_error')
  const hasNotFound = screens.some(({ pattern }) => pattern === '/404')
  return error && !hasNotFound ? [...screens, { ...error, pattern: '/404' }] : screens
}

/** The app-relative folder of the pages; undefined for a folder that is no app folder. `pages` is before `src/pages`. */
export function pagesFolder(appDir: string): 'pages' | 'src/pages' | undefined {
  return (['pages', 'src/pages'] as const).find((name) => existsSync(join(appDir, name)))
}

/** The absolute path of an app folder without symbolic links. Throws BuildError for any other folder. */
export async function locateAppFolder(appDir: string): Promise<string> {
  if (pagesFolder(appDir) === undefined) throw withoutPages(appDir)
  return realpath(appDir)
}

function withoutPages(appDir: string): BuildError {
  const isMoved = pagesFolder(appDir) !== undefined
  const router = isMoved ? undefined : APP_ROUTERS.find((name) => existsSync(join(appDir, name)))
  const remedy = isMoved ? '; move src/pages to pages/' : ''
  return new BuildError(`APP_DIR="${appDir}": must be ${pagesRule(router)}${remedy}`)
}

interface ReadFolderOptions {
  next?: FolderRules
  /** Receives each fault of the author; without it the first one is thrown. */
  refuse?: RefuseFault
  /** Receives each fault of one module that no other one has; without it `refuse` does. */
  refuseModule?: RefuseFault
}

/** Scans the folder. Throws BuildError or RouteConflictError for what the build refuses (R4, F2), or passes each to `refuse`. */
export async function readAppFolder(
  appDir: string,
  { next: rules = ownSettings(), refuse = throwFault, refuseModule = refuse }: ReadFolderOptions = {},
): Promise<AppFolder> {
  const found = pagesFolder(appDir)
  const pagesDir = found === 'src/pages' && !rules.hasOtherPlaces ? undefined : found
  if (pagesDir === undefined) refuse(withoutPages(appDir))
  const dir = await realpath(appDir)
  const folder: AppFolder = { dir, pages: [], screens: [], apiRoutes: [], actionModules: [] }
  const configFile = findConfigFile(dir)
  if (configFile) folder.configFile = configFile
  for (const file of await sourceFiles(dir, rules.pageExtensions)) {
    if (/\.(test|d)\.[cm]?[tj]sx?$/.test(file)) continue
    const code = await readSource(join(dir, file))
    if (!attempt(refuse, () => addMiddleware(folder, { file, code }, { pagesDir, rules }))) continue
    if (pagesDir !== undefined) noteInstrumentation(folder, { file, code }, pagesDir, rules.pageExtensions)
    const pattern = pagesDir && routeOf(file, pagesDir, rules.pageExtensions)
    if (pattern !== undefined) addPage(folder, { file, pattern, code, rules }, { refuse, refuseModule })
    if (attempt(refuseModule, () => hasUseServer(code, file))) folder.actionModules.push(file)
  }
  for (const files of [folder.pages, folder.screens, folder.apiRoutes]) routeConflicts(files).forEach(refuse)
  if (pagesDir !== undefined && folder.pages.length === 0 && !(rules.hasOtherPlaces && folder.apiRoutes.length > 0))
    refuse(new BuildError(`${join(appDir, pagesDir)}: must contain at least one page`))
  return folder
}

/** The pattern of an app-relative file; undefined for a file that is no page, screen or API handler. */
export function routeOf(file: string, pagesDir: string, extensions: readonly string[]): string | undefined {
  // The longest: `index.page.tsx` ends in `page.tsx` and in `tsx`.
  const ending = extensions
    .filter((each) => file.endsWith(`.${each}`))
    .sort((left, right) => right.length - left.length)[0]
  if (!file.startsWith(`${pagesDir}/`) || ending === undefined || !/\.([jt]sx?|mdx?)$/.test(file)) return undefined
  const path = file.slice(pagesDir.length, -ending.length - 1)
  return path.replace(/\/index$/, '') || '/'
}

/** App-relative paths, sorted, so that every machine has the same order. */
async function sourceFiles(dir: string, extensions: readonly string[]): Promise<string[]> {
  const markdown = extensions.filter(isMarkdown).map((ending) => `,${ending}`)
  const entries = await Array.fromAsync(
    glob(`**/*.{tsx,ts,jsx,js,mts,mjs,cts,cjs${markdown.join('')}}`, {
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

interface FoundFile {
  file: string
  pattern: string
  code: string
  rules: FolderRules
}

function addPage(
  folder: AppFolder,
  found: FoundFile,
  { refuse, refuseModule }: Required<Pick<ReadFolderOptions, 'refuse' | 'refuseModule'>>,
): void {
  const { file, pattern, code, rules } = found
  const config = checkRoute(found, refuseModule)
  if (isApiPath(pattern)) return void folder.apiRoutes.push({ pattern, file })
  if (pattern === '/_app') {
    folder.app = onlyOne(folder.app, file, refuse)
    if (rules.hasInitialProps && exportOffset(code, file, 'reportWebVitals') !== undefined) folder.hasVitals = true
  } else if (pattern === '/_document') folder.document = onlyOne(folder.document, file, refuse)
  else if (SCREENS.has(pattern)) folder.screens.push({ pattern, file })
  else folder.pages.push({ pattern, file, ...config })
}

/** Passes on the faults of a page, a screen or a handler that its own source has. Returns its config. */
export function checkRoute({ file, pattern, code, rules }: FoundFile, refuse: RefuseFault): PageConfig | undefined {
  if (isApiPath(pattern)) return void attempt(refuse, () => checkApiConfig(code, file, rules.semantics))
  if (!rules.hasInitialProps) attempt(refuse, () => refuseInitialProps(code, file))
  attempt(refuse, () => refuseCommonJsData(code, file))
  return attempt(refuse, () => readPageConfig(code, file, rules))
}

/** Returns true, also for a file that is no middleware. */
function addMiddleware(
  folder: AppFolder,
  { file, code }: Pick<FoundFile, 'file' | 'code'>,
  place: MiddlewarePlace & { rules: FolderRules },
): true {
  const name = middlewareName(file, place)
  if (name === undefined) return true
  const { middleware } = folder
  if (middleware) throw new BuildError(`${file} and ${middleware.file}: only one of these files is allowed`)
  folder.middleware = readMiddleware(code, file, name, place.rules)
  return true
}

/** The files are next to the folder of the pages, as in Next.js. */
function noteInstrumentation(
  folder: AppFolder,
  { file, code }: Pick<FoundFile, 'file' | 'code'>,
  pagesDir: string,
  extensions: readonly string[],
): void {
  const beside = pagesDir.slice(0, -'pages'.length)
  const [, name, ending] = /^(instrumentation(?:-client)?)\.(.+)$/.exec(file.slice(beside.length)) ?? []
  if (!file.startsWith(beside) || !ending) return
  if (!['ts', 'js', ...extensions].includes(ending) || isMarkdown(ending)) return
  if (name === 'instrumentation') {
    folder.instrumentation ??= file
    return
  }
  if (folder.instrumentationClient !== undefined) return
  folder.instrumentationClient = file
  // `export *` may contain it.
  if (exportOffset(code, file, 'onError') !== undefined || /^\s*export\s*\*\s*from\b/m.test(code))
    folder.hasErrorHook = true
}

function onlyOne(other: string | undefined, file: string, refuse: RefuseFault): string {
  if (other) refuse(new RouteConflictError(`${file} and ${other}: only one of these files is allowed`))
  return file
}

/** Refuses `Page.getInitialProps = …` and `static getInitialProps`. */
function refuseInitialProps(code: string, file: string): void {
  const found = findInitialProps(code, file)
  if (!found) return
  const rule = 'getInitialProps is not supported; use getServerSideProps or getStaticProps'
  throw authorError({ file, at: { code, offset: found.start }, rule, docs: 'dataFunctions' })
}

/** SECURITY: of an ES module alone the browser bundle leaves out data functions, which may contain secrets. */
function refuseCommonJsData(code: string, file: string): void {
  if (!/\b(module|exports)\b/.test(code)) return
  const body = parseModule(code, file)
  if (isEsModule(body)) return
  const name = [...commonJsNames(body)].find((each) => DATA_FUNCTIONS.has(each))
  if (name === undefined) return
  const rule = `${name} of a CommonJS module would be in the browser bundle, as in Next.js; write export const ${name} = …, and export default for the page`
  throw authorError({ file, at: { code, offset: code.indexOf(name) }, rule, docs: 'dataFunctions' })
}

/** Where a module names getInitialProps; strings and comments may contain the name. */
export function findInitialProps(code: string, file: string): Node | undefined {
  if (!code.includes('getInitialProps')) return undefined
  const isInitialProps = ({ type, name }: Node) => type === 'Identifier' && name === 'getInitialProps'
  return parseModule(code, file)
    .map((node) => findNode(node, isInitialProps))
    .find(Boolean)
}

/** Whether a module begins with the 'use server' directive. Throws BuildError for a directive anywhere else (A1). */
export function hasUseServer(code: string, file: string): boolean {
  if (!code.includes('use server')) return false
  const body = parseModule(code, file)
  const isDirective = (node: Node) => stringOf(node) === 'use server'
  // The parser also marks directives after imports.
  const firstOther = body.findIndex((node) => stringOf(node) === undefined)
  const head = firstOther < 0 ? body : body.slice(0, firstOther)
  if (head.some(isDirective)) return true
  const misplaced = body.map((node) => findNode(node, isDirective)).find(Boolean)
  if (!misplaced) return false
  const rule = "'use server' must be the first statement of the file, not of a function in it"
  throw authorError({ file, at: { code, offset: misplaced.start }, rule, docs: 'actionModules' })
}

/** The text of a statement that is a string only, as directives are. */
function stringOf(node: Node): string | undefined {
  const value = node.type === 'ExpressionStatement' ? childOf(node, 'expression')?.value : undefined
  return typeof value === 'string' ? value : undefined
}
