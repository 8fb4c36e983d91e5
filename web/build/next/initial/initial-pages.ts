// Which pages of a site of Next.js have initial props (X11). A function around the page may add them, as those of libraries
// do: the loaded page says so. The source decides where a page cannot be loaded during the build.

import { fork } from 'node:child_process'
import { extname, join } from 'node:path'
import type { DataKind } from '@portico/shared/wire/build-output.ts'
import type { Rolldown } from 'vite'
import type { KindOfRoute, SiteAdapter } from '../../adapter.ts'
import { authorError } from '../../build-error.ts'
import { type AppFolder, findInitialProps, screensOf } from '../../folder/folder.ts'
import { isRuntime } from '../../framework-files.ts'
import { readSource } from '../../source/source.ts'

/** What initial-process.ts reports. */
export interface InitialReport {
  /** `_app` has its own getInitialProps. */
  ofApp: boolean
  /** Patterns of the pages and screens with getInitialProps. */
  own: string[]
  /** Patterns of those that cannot be loaded. */
  unknown: string[]
}

/** Loading takes less than a second; a page may wait for a server that the build does not reach. */
const TIME_LIMIT_MS = 30_000

interface InitialPages extends Pick<InitialReport, 'ofApp' | 'own'> {
  /** Those whose source names the function. */
  likely: string[]
}

const NONE: InitialReport = { ofApp: false, own: [], unknown: [] }

type Route = Parameters<KindOfRoute>[0]

export const initialPages: SiteAdapter['kinds'] = {
  ofSources: async ({ folder }, routes) => kindsOf(await reportOfSources(folder, routes, undefined)),
  ofBuild: readInitialPages,
}

async function readInitialPages(
  ...[{ folder, config, packages }, outDir, output, note]: Parameters<SiteAdapter['kinds']['ofBuild']>
): Promise<KindOfRoute> {
  // A package may add the function.
  const isPossible = packages.size > 0 || output.some(mentionsInitialProps)
  const report = isPossible ? await runProcess(outDir, folder.dir, config.env) : NONE
  if (!report) note('The pages could not be loaded: their sources say which of them have getInitialProps')
  return kindsOf(await reportOfSources(folder, [...folder.pages, ...screensOf(folder)], report))
}

/** The returned function throws BuildError for a page that has getInitialProps and another data function. */
export function kindsOf({ ofApp, own, likely }: InitialPages): KindOfRoute {
  return ({ pattern, file }, exported) => {
    const isOwn = own.includes(pattern)
    if (isOwn && exported !== 'none') throw bothFault(file, exported)
    // `_error` is also the screen of paths without a page.
    if (isOwn && (pattern === '/500' || pattern === '/404') && !/_error\.[^/]+$/.test(file)) throw screenFault(file)
    return exported === 'none' && (isOwn || ofApp || likely.includes(pattern)) ? 'initial' : exported
  }
}

function bothFault(file: string, exported: DataKind) {
  const name = exported === 'server' ? 'getServerSideProps' : 'getStaticProps'
  return authorError({ file, rule: `a page must not have both getInitialProps and ${name}`, docs: 'dataFunctions' })
}

function screenFault(file: string) {
  const rule = 'getInitialProps is not possible in this screen, as in Next.js; use getStaticProps, or pages/_error'
  return authorError({ file, rule, docs: 'dataFunctions' })
}

/** The report of the loaded pages, with those that could not be loaded as their sources have them. */
async function reportOfSources(
  folder: AppFolder,
  routes: readonly Route[],
  loaded: InitialReport | undefined,
): Promise<InitialPages> {
  const isInitial = async (file: string) =>
    findInitialProps(await readSource(join(folder.dir, file)), file) !== undefined
  const ofApp = loaded ? loaded.ofApp : folder.app !== undefined && (await isInitial(folder.app))
  const likely: string[] = []
  for (const { pattern, file } of routes)
    if ((!loaded || loaded.unknown.includes(pattern)) && (await isInitial(file))) likely.push(pattern)
  return { ofApp, own: loaded?.own ?? [], likely }
}

/** Whether code of the site or of a package names the function. */
function mentionsInitialProps(chunk: Rolldown.OutputChunk | Rolldown.OutputAsset): boolean {
  if (chunk.type !== 'chunk') return false
  return Object.entries(chunk.modules).some(
    ([id, { code }]) => !isRuntime(id) && (code?.includes('getInitialProps') ?? false),
  )
}

/** Undefined if the pages could not be loaded. */
function runProcess(outDir: string, appDir: string, env: object): Promise<InitialReport | undefined> {
  const script = join(import.meta.dirname, `initial-process${extname(import.meta.filename)}`)
  const child = fork(script, [outDir, JSON.stringify(env)], {
    cwd: appDir,
    execArgv: [],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => child.kill('SIGKILL'), TIME_LIMIT_MS)
    child.on('error', reject)
    // Our own process sends one message of this type.
    child.on('message', (report) => resolve((report as InitialReport | null) ?? undefined))
    // Unlike the exit, it comes after the last message.
    child.on('close', () => {
      clearTimeout(timer)
      resolve(undefined)
    })
  })
}
