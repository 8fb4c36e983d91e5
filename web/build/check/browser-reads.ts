// Globals of Node in code that browsers load, reads of the environment included. The build refuses a use that tree shaking
// leaves in the browser bundle; which one that is, only a bundle can show.

import { join } from 'node:path'
import { adapterOf } from '../adapter/active-adapter.ts'
import type { BundleSources } from '../bundles/bundle-sources.ts'
import { isServerFile } from '../bundles/server-modules.ts'
import { globalRule, undefinedRule } from '../bundles/server-stubs.ts'
import { hasUseServer } from '../folder/app-folder.ts'
import { nodeGlobalsIn, PROCESS_ENV } from '../transforms/node-globals.ts'
import type { PageFacts } from './page-facts.ts'
import { type Finding, findingOf, placeAt } from './report.ts'
import { importsOf, type SiteModules } from './site-modules.ts'

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
