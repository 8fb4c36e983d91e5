// `portico check`: reads an app folder as the build does, without bundling or running a page, and collects every fault.
// Guarantees: the knowledge is that of the build, because each step calls the function that the build calls; it writes only
// `.portico`.
// Leaves the command line to check-cli.ts and the text for terminals to report.ts.

import { existsSync } from 'node:fs'
import { readFile, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import type { CspTable } from '@portico/shared/wire/policy/content-security-policy.ts'
import { adapterOf } from '../active-adapter.ts'
import type { AdaptedConfig } from '../adapter.ts'
import { attempt, DOCS, isAuthorError, type RefuseFault, textsOf } from '../build-error.ts'
import { type BundleSources, readBundleSources } from '../bundle-sources/bundle-sources.ts'
import { createCspTable, parseSiteConfig } from '../config/config.ts'
import { readAppFolder, readAssetsScript } from '../folder/folder.ts'
import { type LoadOptions, loadSiteConfig, readSiteMode } from '../load-config.ts'
import { type ModeSettings, ownSettings } from '../mode.ts'
import { type PageFacts, readPageFacts } from '../route-facts.ts'
import { findUnreadFiles } from '../site-notes.ts'
import { lostTypes, writeCompilerOptions } from '../site-types.ts'
import { isMarkdown, parseModule } from '../source/source.ts'
import { contextFaults } from '../transforms/transforms.ts'
import { readAppRoutes } from './app-router.ts'
import {
  findBrowserReads,
  findDifferences,
  findNextFields,
  findPackageDifferences,
  missingPackage,
  missingPackagesFault,
  readPackageFile,
  withFieldPlace,
} from './findings.ts'
import { readSiteModules, type SiteModules } from './loaded-modules.ts'
import { createFindings, type Fault, type Finding, type Report, readFinding } from './report.ts'
import { readSupported } from './supported.ts'

/** Writes nothing but what `npm run types` writes into `.portico`, and only where the site's tsconfig.json names it. */
export async function checkFolder(appDir: string): Promise<Report> {
  const dir = await realpath(appDir)
  const faults = createFindings<Fault>()
  const refuse: RefuseFault = (error) => {
    for (const text of textsOf(error)) faults.add({ kind: 'refused', ...withFieldPlace(readFinding(text, dir), dir) })
  }
  const orRefuse = <T>(work: Promise<T>): Promise<T | undefined> =>
    work.catch((error: unknown) => {
      if (!isAuthorError(error)) throw error
      refuse(error)
      return undefined
    })
  await writeNamedOptions(dir)
  let adapted: AdaptedConfig | undefined
  const onAdapted: LoadOptions['onAdapted'] = (found) => {
    adapted = found
  }
  const siteMode = await orRefuse(readSiteMode(dir))
  const loaded = siteMode && (await orRefuse(loadSiteConfig(dir, { siteMode, onAdapted })))
  const config = loaded?.config
  // A configuration that cannot be loaded does not turn the mode off.
  const next = loaded?.next ?? adapted?.settings ?? siteMode?.found?.settings ?? ownSettings()
  const folder = await readAppFolder(dir, { next, refuse })
  const packages = (await orRefuse(readPackageFile(dir))) ?? { text: '', packages: new Map() }
  const assetsScript = await orRefuse(readAssetsScript(dir))
  const sources = await readBundleSources(folder, config ?? parseSiteConfig({}), { next, refuse })
  const { pages, screens } = await readPageFacts({ folder, next }, refuse)
  const policies = config && attempt(refuse, () => readPolicies(sources, pages))
  const notInstalled = new Set<string>()
  const modules = await readSiteModules(sources, {
    refuse,
    isFault(specifier) {
      const name = missingPackage(dir, packages, specifier)
      if (name !== undefined) notInstalled.add(name)
      // The assets script may write the file, and a plugin of a config with faults may resolve the name.
      return name === undefined && config !== undefined && assetsScript === undefined
    },
  })
  for (const module of modules.modules.values()) {
    const { code, path, file } = module
    if (isMarkdown(path)) continue
    contextFaults(parseModule(code, path), code, file).forEach(refuse)
    adapterOf(next)?.variables.faultsIn(module, sources).forEach(refuse)
  }
  for (const fault of [...missingPackagesFault(packages, notInstalled), ...(await findUnread(dir, next))])
    faults.add(fault)
  const supported = await readSupported({ sources, pages, modules, assetsScript })
  const differs = createFindings<Finding>()
  for (const finding of [
    ...findDifferences({
      ...{ pages, modules, supported, next },
      hasPolicy: policies ? policies.site !== null : !next.on,
    }),
    ...findInModules(modules, next, dir),
    ...findPackageDifferences(packages, { hasReport: next.on }),
    ...(await findBrowserReads(sources, [...pages, ...screens], modules)),
  ])
    differs.add(finding)
  return {
    folder: dir,
    supported,
    ...(adapted && { next: adapted.report }),
    differs: differs.list(),
    faults: faults.list(),
    appRouter: await readAppRoutes(dir),
  }
}

/** Modules are compiled with the options of the site's tsconfig.json, which may extend this file. */
async function writeNamedOptions(dir: string): Promise<void> {
  const file = join(dir, 'tsconfig.json')
  if (existsSync(file) && (await readFile(file, 'utf8')).includes('.portico/tsconfig.json'))
    await writeCompilerOptions(dir)
}

/** What the adapter finds. */
function findInModules({ modules }: SiteModules, next: ModeSettings, dir: string): Finding[] {
  return [...modules.values()]
    .filter(({ path }) => !isMarkdown(path))
    .flatMap((module) => adapterOf(next)?.findingsIn(module) ?? [])
    .map(({ text, docs }) => ({ ...readFinding(text, dir), docs }))
}

/** Throws BuildError for policies that fit no page. */
function readPolicies({ folder, config }: BundleSources, pages: readonly PageFacts[]): CspTable {
  const routes = pages.map(({ pattern, file, kind }) => ({ pattern, file, data: kind }))
  const screens = folder.screens.map((screen) => ({ ...screen, data: 'none' as const }))
  return createCspTable(config.csp, [...routes, ...screens], folder.configFile ?? 'portico.config.ts')
}

async function findUnread(dir: string, next: ModeSettings): Promise<Fault[]> {
  const unread = await findUnreadFiles(dir, next)
  const [page] = DOCS.refusals.split('#')
  return [
    ...unread.map(({ files, remedy }): Fault => {
      const places = files.map((file) => ({ file }))
      return { kind: 'missing', text: `not read: ${remedy}`, ...(page && { docs: page }), places }
    }),
    ...unread.flatMap(({ files }) =>
      files.filter((file) => file.startsWith('next.config.')).flatMap((file) => findNextFields(dir, file)),
    ),
    ...(next.on ? [] : await lostTypes(dir)).map((line): Fault => ({ kind: 'missing', ...readFinding(line, dir) })),
  ]
}
