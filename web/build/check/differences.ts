// What works in another way than in Next.js, for what the app folder has: one sentence each, and the page that explains it.

import type { ModeSettings } from '../adapter/mode-settings.ts'
import { findNode, type Node, nameAt, nodesIn, parseModule } from '../folder/module-syntax.ts'
import type { PageFacts } from './page-facts.ts'
import { type Finding, findingOf, type Place, placeAt } from './report.ts'
import type { SiteModule, SiteModules } from './site-modules.ts'
import type { Supported } from './supported.ts'

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
