// What `portico check` finds besides faults of the build: reads of globals of Node in browser code, fields of configuration
// files, differences to Next.js, and what package.json says.

import { existsSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { adapterOf } from '../active-adapter.ts'
import { DOCS } from '../build-error.ts'
import { type BundleSources, isServerFile, ownReactVersion } from '../bundle-sources/bundle-sources.ts'
import { offsetOfField, settingRule } from '../config/config.ts'
import { hasUseServer } from '../folder/folder.ts'
import type { ModeSettings } from '../mode.ts'
import { findInstalled, readDependencies } from '../package-json.ts'
import type { PageFacts } from '../route-facts.ts'
import { globalRule, nodeGlobalsIn, PROCESS_ENV, undefinedRule } from '../server-code/server-code.ts'
import {
  childOf,
  childrenOf,
  declaredValues,
  findNode,
  type Node,
  nameAt,
  nodesIn,
  parseModule,
  resolveValue,
} from '../source/source.ts'
import { importsOf, type SiteModule, type SiteModules } from './loaded-modules.ts'
import { type Fault, type Finding, findingOf, type Place, placeAt } from './report.ts'
import type { Supported } from './supported.ts'

// Globals of Node in code that browsers load, reads of the environment included. The build refuses a use that tree shaking
// leaves in the browser bundle; which one that is, only a bundle can show.

/** One finding for each global and each variable of each module. */
export async function findBrowserReads(
  { folder: { dir }, next }: BundleSources,
  pages: readonly PageFacts[],
  { modules }: SiteModules,
): Promise<Finding[]> {
  const codeOf = new Map(pages.map(({ file, browserCode }) => [join(dir, file), browserCode]))
  const findings: Finding[] = []
  const queue = new Set(codeOf.keys())
  // The loop also visits what it adds.
  for (const path of queue) {
    const module = modules.get(path)
    if (!module || isServer(dir, path, module.code, next)) continue
    const code = codeOf.get(path) ?? module.code
    findings.push(...readsIn(code, module.file, module.code, next))
    // Data functions are not in this code, nor what only they import.
    const imports = codeOf.has(path) ? await importsOf(code, path, dir, () => {}) : module.imports
    for (const specifier of imports.keys()) {
      const target = module.imports.get(specifier)
      if (target !== undefined) queue.add(target)
    }
  }
  return findings
}

function isServer(dir: string, path: string, code: string, mode: BundleSources['next']): boolean {
  try {
    return isServerFile(dir, path, mode) || hasUseServer(code, path)
  } catch {
    // A misplaced directive, which the check of the folder reports.
    return true
  }
}

function readsIn(code: string, file: string, written: string, next: BundleSources['next']): Finding[] {
  const places = nodeGlobalsIn(written, file, next)
  const variables = adapterOf(next)?.variables
  const uses = variables?.usesIn(code, file, next)
  const globals = [...nodeGlobalsIn(code, file, next).keys()].flatMap((specifier) => {
    const rule = next.hasNodeGlobals ? undefinedRule(specifier) : globalRule(specifier)
    // Further findings name these reads of `process.env`.
    if (rule === undefined || (specifier === PROCESS_ENV && uses?.hasOthers === false)) return []
    const place = placeAt(file, written, places.get(specifier) ?? 0)
    const docs = specifier.startsWith(PROCESS_ENV) ? 'publicEnv' : 'serverCode'
    return [findingOf(`${rule} (unless only server code uses it)`, docs, [place])]
  })
  if (!variables || !uses) return globals
  const { rules } = variables.usesIn(written, file, next)
  return [...globals, ...publicFindings(uses.rules, rules, { code, file, written })]
}

/** The uses of browser code at their places in the written module, which for pages has data functions, too. */
function publicFindings(
  rules: ReadonlyMap<string, number[]>,
  offsets: ReadonlyMap<string, number[]>,
  { code, file, written }: { code: string; file: string; written: string },
): Finding[] {
  const lines = new Set(code.split('\n'))
  const isOfBrowser = (offset: number) => {
    const start = written.lastIndexOf('\n', offset) + 1
    const end = written.indexOf('\n', offset)
    return lines.has(written.slice(start, end === -1 ? undefined : end))
  }
  return [...rules.keys()].map((rule) => {
    const all = offsets.get(rule) ?? []
    const own = all.filter(isOfBrowser)
    const places = (own.length > 0 ? own : all).map((offset) => placeAt(file, written, offset))
    return findingOf(rule, 'codeEnv', places)
  })
}

// Fields of configuration files, found in their sources: the line of a fault of portico.config.*, and the fields of
// next.config.* that portico.config.* does not have. No file is run.

/** Adds to a fault of portico.config.* the line of the field that the text names first: `redirects[0].source = "x": …`. */
export function withFieldPlace(finding: Finding, dir: string): Finding {
  const [place] = finding.places
  const [, field] = /^([A-Za-z]\w*)[^:=]*(?: = |: )/.exec(finding.text) ?? []
  if (!place?.file.startsWith('portico.config.') || place.line !== undefined || field === undefined) return finding
  const { code } = readSource(dir, place.file)
  const offset = offsetOfField(code, place.file, field)
  return offset === undefined ? finding : { ...finding, places: [placeAt(place.file, code, offset)] }
}

/** The fields of next.config.* that are no settings of Portico, where the source writes them out. */
export function findNextFields(dir: string, file: string): Fault[] {
  const { code, body } = readSource(dir, file)
  return exportedFields(body).flatMap(({ name, start }) => {
    const rule = settingRule(name)
    if (rule === undefined) return []
    return [{ kind: 'missing', text: `${name} ${rule}`, docs: DOCS.refusals, places: [placeAt(file, code, start)] }]
  })
}

function exportedFields(body: readonly Node[]): { name: string; start: number }[] {
  const declared = new Map(body.flatMap(declaredValues))
  const value = resolveValue(body.map(exportedValue).find(Boolean), declared)
  if (value?.type !== 'ObjectExpression') return []
  return childrenOf(value, 'properties').flatMap((property) => {
    const name = property.computed ? undefined : nameAt(property, 'key')
    return name === undefined ? [] : [{ name, start: property.start }]
  })
}

/** The object of `export default …` and of `module.exports = …`. */
function exportedValue(statement: Node): Node | undefined {
  if (statement.type === 'ExportDefaultDeclaration') return childOf(statement, 'declaration')
  const assignment = statement.type === 'ExpressionStatement' ? childOf(statement, 'expression') : undefined
  const left = assignment?.type === 'AssignmentExpression' ? childOf(assignment, 'left') : undefined
  const isExports = left && nameAt(left, 'object') === 'module' && nameAt(left, 'property') === 'exports'
  return isExports && assignment ? childOf(assignment, 'right') : undefined
}

function readSource(dir: string, file: string): { code: string; body: Node[] } {
  const path = join(dir, file)
  const code = existsSync(path) ? readFileSync(path, 'utf8') : ''
  return { code, body: parseModule(code, file) }
}

interface DifferenceOptions {
  pages: readonly PageFacts[]
  modules: SiteModules
  supported: Supported
  hasPolicy: boolean
  next: ModeSettings
}

export function findDifferences({ pages, modules, supported, hasPolicy, next }: DifferenceOptions): Finding[] {
  const all = [...modules.modules.values()]
  const found: Finding[] = []
  const add = (isThere: boolean, ...finding: Parameters<typeof findingOf>) => {
    if (isThere) found.push(findingOf(...finding))
  }
  const placesOf = (kind: PageFacts['kind']) => pages.filter((page) => page.kind === kind).map(({ file }) => ({ file }))
  const fixed = placesOf('static')
  add(
    fixed.length > 0 && supported.prerender === 'start',
    'getStaticProps runs at the start or at the first request, not during the build; getStaticPaths lists known paths.',
    'differences',
    fixed,
  )
  const requested = placesOf('server')
  add(
    requested.length > 0 && !next.takesForms,
    'A page with getServerSideProps takes GET and HEAD; other methods get 405, and a form post is an action.',
    'differences',
    requested,
  )
  add(
    supported.apiHandlers + supported.actions.count > 0,
    'Pages run in the renderer, actions and API handlers in the actions service: they share no variable of a module.',
    'differences',
  )
  add(
    hasPolicy && pages.length > 0,
    'Every document has a content security policy: scripts, frames, requests and fonts of other hosts need an entry.',
    'csp',
  )
  add(
    supported.envFiles.length > 0,
    'portico start and portico dev read .env files; in containers the environment has the values.',
    'env',
    supported.envFiles.map((file) => ({ file })),
  )
  const styled = next.on ? [] : all.flatMap(findStyledJsx)
  add(
    styled.length > 0,
    '<style jsx> is a plain <style> outside of compatibility mode: its rules are for all elements.',
    'refusals',
    styled,
  )
  const types = all.flatMap(findTypeImports)
  add(
    types.length > 0,
    'Types of next are removed by the build; TypeScript finds those of portico without the package next.',
    'replacements',
    types,
  )
  return found
}

/** The elements of styled-jsx. */
function findStyledJsx({ code, file, path }: SiteModule): Place[] {
  if (!code.includes('<style')) return []
  const isStyled = (node: Node) =>
    node.type === 'JSXOpeningElement' &&
    nameAt(node, 'name') === 'style' &&
    nodesIn(node.attributes).some((attribute) => nameAt(attribute, 'name') === 'jsx')
  const found: Node[] = []
  for (const statement of parseModule(code, path)) findNode(statement, (node) => isStyled(node) && found.push(node) < 0)
  return found.map(({ start }) => placeAt(file, code, start))
}

/** Imports of Next.js that are none when the module is compiled. */
function findTypeImports({ code, file, path, imports }: SiteModule): Place[] {
  if (!/\bnext\b/.test(code)) return []
  return parseModule(code, path).flatMap((node) => {
    const source = nameAt(node, 'source')
    const isType = source !== undefined && /^next(\/|$)/.test(source) && !imports.has(source)
    return isType ? [placeAt(file, code, node.start)] : []
  })
}

const FILE = 'package.json'

// What package.json says of React, of Next.js and of packages that are not installed.

interface PackageFile {
  text: string
  /** Ranges of versions by name. */
  packages: ReadonlyMap<string, string>
}

/** Without packages where the folder has no package.json. Throws BuildError for a file that is no JSON object. */
export async function readPackageFile(dir: string): Promise<PackageFile> {
  const path = join(dir, FILE)
  const ranges = Object.entries(await readDependencies(dir)).map(([name, range]) => [name, String(range)] as const)
  return { text: existsSync(path) ? await readFile(path, 'utf8') : '', packages: new Map(ranges) }
}

/** The report of compatibility mode has the version of React. */
export function findPackageDifferences(file: PackageFile, { hasReport }: { hasReport: boolean }): Finding[] {
  const found: Finding[] = []
  const react = file.packages.get('react')
  const own = ownReactVersion()
  const major = /\d+/.exec(react ?? '')?.[0]
  if (!hasReport && react !== undefined && major !== undefined && major !== own.split('.')[0])
    found.push(
      findingOf(`react ${react}: pages run on React ${own}; install packages for this version.`, 'reactPackages', [
        placeOf(file, 'react'),
      ]),
    )
  if (file.packages.has('next'))
    found.push(
      findingOf('The package next is not used: dev, build and start are commands of Portico.', 'replacements', [
        placeOf(file, 'next'),
      ]),
    )
  return found
}

/** Whether a specifier names a package of package.json that is not installed. */
export function missingPackage(dir: string, { packages }: PackageFile, specifier: string): string | undefined {
  const name = /^(@[^/]+\/)?[^./@][^/]*/.exec(specifier)?.[0]
  return name !== undefined && packages.has(name) && findInstalled(name, dir) === undefined ? name : undefined
}

export function missingPackagesFault(file: PackageFile, names: ReadonlySet<string>): Fault[] {
  if (names.size === 0) return []
  const list = [...names].sort()
  const text = `not installed: ${list.join(', ')}; run npm install`
  return [{ kind: 'missing', text, places: list.map((name) => placeOf(file, name)) }]
}

function placeOf({ text }: PackageFile, name: string): Place {
  const offset = text.search(new RegExp(`"${RegExp.escape(name)}"\\s*:`))
  return offset < 0 ? { file: FILE } : placeAt(FILE, text, offset)
}
