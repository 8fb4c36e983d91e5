// What the report says of an app folder besides its configuration: the version of React, the App Router, edge functions.

import { existsSync } from 'node:fs'
import { glob, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isApiPath } from '@portico/shared/wire/routing/urls.ts'
import { ownReactVersion } from '../bundle-sources/bundle-sources.ts'
import { ignoredMembers, ignoredMiddlewareMembers, pagesFolder, routeOf } from '../folder/folder.ts'
import type { ModeReport, ModeSettings } from '../mode.ts'
import { readDependencies } from '../package-json.ts'
import { appRelative, childrenOf, nameAt, parseModule } from '../source/source.ts'
import { isInstalled } from './app-packages.ts'
import { PLUGINS } from './fields/config-fields.ts'
import { mustBe } from './fields/mapping.ts'
import { NEXT_FILES } from './next-mode.ts'

/** What React 19 does not have any more, by module. */
const REMOVED: Readonly<Record<string, readonly string[]>> = {
  'react-dom': ['render', 'hydrate', 'unmountComponentAtNode', 'findDOMNode', 'unstable_renderSubtreeIntoContainer'],
  'react-dom/server': ['renderToNodeStream', 'renderToStaticNodeStream'],
  react: ['createFactory'],
}

/** Adds the lines to the report. */
export async function describeFolder(appDir: string, settings: ModeSettings, report: ModeReport): Promise<void> {
  const pagesDir = pagesFolder(appDir)
  if (pagesDir !== undefined) report.mapped.push({ field: `${pagesDir}/`, note: 'the pages' })
  if (pagesDir === 'pages' && existsSync(join(appDir, 'src/pages')))
    report.ignored.push({ field: 'src/pages/', note: 'is not served next to pages/, as in Next.js' })
  const [nextFile, ...others] = NEXT_FILES.filter((name) => existsSync(join(appDir, name)))
  for (const field of others) report.ignored.push({ field, note: `is not read next to ${nextFile}, as in Next.js` })
  for (const name of ['app', 'src/app'])
    if (await hasRoutes(join(appDir, name)))
      report.ignored.push({ field: `${name}/`, note: 'routes of the App Router are not served; move them to pages/' })
  for await (const field of glob('{.babelrc,babel.config}{,.js,.json,.cjs,.mjs}', { cwd: appDir }))
    report.ignored.push({
      field,
      note: `Babel does not run: the bundler does what next/babel does; for other plugins ${PLUGINS.replace(/,.*/, '')}`,
    })
  if (existsSync(join(appDir, 'static')))
    report.ignored.push({ field: 'static/', note: 'its files are not served; move the folder to public/static/' })
  const { tsconfig } = settings
  if (tsconfig !== undefined && !existsSync(join(appDir, tsconfig)))
    report.refused.push(mustBe('typescript.tsconfigPath', tsconfig, 'the name of a file in the folder'))
  describeSass(appDir, settings, report)
  await describeReact(appDir, report)
  if (pagesDir !== undefined) await describeConfigs(appDir, pagesDir, settings, report)
  await describeMiddleware(appDir, report)
}

function describeSass(appDir: string, { sassPackage }: ModeSettings, report: ModeReport): void {
  if (sassPackage === undefined || isInstalled(appDir, sassPackage)) return
  report.refused.push({
    field: `sassOptions.implementation = "${sassPackage}"`,
    rule: 'is not installed',
    remedy: `run npm install -D ${sassPackage}, or remove the field`,
  })
}

async function describeMiddleware(appDir: string, report: ModeReport): Promise<void> {
  for await (const path of glob('{.,src}/{middleware,proxy}.{js,jsx,ts,tsx}', { cwd: appDir })) {
    const file = appRelative('', path)
    const code = await readFile(join(appDir, path), 'utf8')
    for (const field of ignoredMiddlewareMembers(code, file))
      report.ignored.push({ field: `${file}: ${field}`, note: 'middleware runs on Node, in the renderer' })
  }
}

async function hasRoutes(dir: string): Promise<boolean> {
  for await (const _file of glob('**/{page,layout,route}.{js,jsx,ts,tsx}', { cwd: dir })) return true
  return false
}

async function describeReact(appDir: string, report: ModeReport): Promise<void> {
  const range = (await readDependencies(appDir)).react
  const wanted = typeof range === 'string' ? /\d+/.exec(range)?.[0] : undefined
  const version = ownReactVersion()
  if (wanted === undefined || wanted === version.split('.')[0]) return
  report.mapped.push({ field: `react ${range}`, note: `runs on React ${version}` })
  for (const file of await scriptsOf(appDir))
    for (const { module, name } of await removedImports(join(appDir, file)))
      report.ignored.push({ field: file, note: `${name} of ${module} does not exist in React ${version}` })
}

async function scriptsOf(appDir: string): Promise<string[]> {
  const found = await Array.fromAsync(
    glob('**/*.{js,jsx,ts,tsx}', {
      cwd: appDir,
      exclude: (path) => /(^|[/\\])(node_modules|dist|\.[^/\\]+|public)$/.test(path),
    }),
  )
  return found.map((path) => appRelative('', path)).sort()
}

async function removedImports(path: string): Promise<{ module: string; name: string }[]> {
  const code = await readFile(path, 'utf8')
  if (!/['"]react(-dom)?(\/server)?['"]/.test(code)) return []
  return parseModule(code, path).flatMap((node) => {
    const module = nameAt(node, 'source') ?? ''
    const names = childrenOf(node, 'specifiers').map((each) => nameAt(each, 'imported') ?? '')
    return names.filter((name) => REMOVED[module]?.includes(name)).map((name) => ({ module, name }))
  })
}

/** What pages and API handlers have without an effect here: members of `config`. */
async function describeConfigs(
  appDir: string,
  pagesDir: string,
  settings: ModeSettings,
  report: ModeReport,
): Promise<void> {
  const files = await Array.fromAsync(glob(`${pagesDir}/**/*.{js,jsx,ts,tsx}`, { cwd: appDir }))
  let hasHandlers = false
  let hasForms = false
  for (const file of files.map((path) => appRelative('', path)).sort()) {
    const route = routeOf(file, pagesDir, settings.pageExtensions)
    if (route === undefined) continue
    hasHandlers ||= isApiPath(route)
    const code = await readFile(join(appDir, file), 'utf8')
    hasForms ||= !isApiPath(route) && /\bgetServerSideProps\b/.test(code)
    for (const { field, note } of ignoredMembers(code, file)) report.ignored.push({ field: `${file}: ${field}`, note })
  }
  if (hasHandlers) report.mapped.push({ field: `${pagesDir}/api/`, note: `${CROSS_SITE} a handler allows them` })
  if (hasForms)
    report.mapped.push({ field: 'getServerSideProps', note: `reads forms; ${CROSS_SITE} a page allows them` })
}

const CROSS_SITE =
  'requests of other sites that may change data (POST and the like) are refused; crossOrigin: true in the config of'
