// Modules of a site that are written as CommonJS. The bundler takes them as they are; development, where browsers and Vite
// load ES modules only, receives each as one, and so does a build for pages, whose exports are read. `require.context` of
// webpack is refused with its place.

import MagicString from 'magic-string'
import type { Plugin } from 'vite'
import { authorError, BuildError } from '../build-error.ts'
import { type BundleSources, isSiteModule } from '../bundle-sources/bundle-sources.ts'
import {
  appRelative,
  childOf,
  childrenOf,
  commonJsNames,
  freeNames,
  isEsModule,
  isMarkdown,
  type Node,
  nameAt,
  nodesIn,
  parseModule,
  withoutQuery,
} from '../source/source.ts'

/** A cheap test: most modules have none of it. */
const NAMED = /\bmodule\s*\.\s*exports\b|\bexports\s*[.[=]|\brequire\s*[.(]/
/** What `require` gives for the namespace of an import: that of a package for browsers may be a copy by Vite. */
const REQUIRED = `const __portico_required = (m) => 'module.exports' in m ? m['module.exports'] : m[Symbol.toStringTag] === 'Module' || m.__esModule || !('default' in m) ? m : m.default; `
/** In compatibility mode `require` of a component is the component, with all names of its module as members. */
const MERGED = 'const __portico_next = (m) => Object.assign(m.default, m); '

export function commonJs(
  appDir: string,
  sources: () => BundleSources,
  isDefaultRequired: ModuleOptions['isDefaultRequired'],
): Plugin {
  const faults: string[] = []
  const isRoute = (file: string) => {
    const { pages, screens, apiRoutes, app, document } = sources().folder
    return file === app || file === document || [pages, screens, apiRoutes].flat().some((route) => route.file === file)
  }
  return {
    name: 'portico:common-js',
    enforce: 'pre',
    async transform(code, id) {
      const path = withoutQuery(id)
      if (id.startsWith('\0') || !isSiteModule(path) || isMarkdown(path) || !NAMED.test(code)) return undefined
      const file = appRelative(appDir, path)
      const body = parseModule(code, path)
      const isDev = this.environment.mode === 'dev'
      const [fault, ...more] = contextFaults(body, code, file)
      if (fault && isDev) throw fault
      for (const each of fault ? [fault, ...more] : []) faults.push(...each.faults)
      const isBrowser = this.environment.config.consumer === 'client'
      const found = requiresIn(body, code.length)
      const imports = new Map<string, boolean>()
      if (isDev)
        for (const { specifier, isGuarded } of found) {
          if (imports.get(specifier) || (isGuarded && isBrowser)) continue
          const target = await this.resolve(specifier, path)
          // Node loads packages: those that a site requires, too.
          imports.set(specifier, target !== null && (isBrowser || isFileOfSite(withoutQuery(target.id))))
        }
      const isWrapped = isDev || isRoute(file)
      return asEsModule(code, body, {
        isDefaultRequired,
        isRoute: isRoute(file),
        isWrapped,
        isDev,
        isImported: ({ specifier, isGuarded }) => imports.get(specifier) === true && !(isGuarded && isBrowser),
      })
    },
    generateBundle() {
      if (faults.length > 0) throw new BuildError([...new Set(faults)])
    },
  }
}

function isFileOfSite(path: string): boolean {
  return isSiteModule(path) || /^\/.*\.(json|[a-z]?css|scss|sass|svg|png|jpe?g|gif|webp|avif|mdx?)$/.test(path)
}

interface Required {
  /** `require('…')`. */
  node: Node
  specifier: string
  /** Behind a test of `typeof window`: browsers may have no such module. */
  isGuarded: boolean
}

interface ModuleOptions {
  /** Whether `require` of a module is its default export, with all names as members. */
  isDefaultRequired: (specifier: string) => boolean
  isRoute: boolean
  /** CommonJS becomes an ES module. */
  isWrapped: boolean
  isDev: boolean
  /** Whether an import replaces the call. */
  isImported: (required: Required) => boolean
}

/** The module with imports in the place of `require`, and with exports; undefined if nothing changes. */
export function asEsModule(code: string, body: readonly Node[], options: ModuleOptions) {
  const { isDefaultRequired, isRoute, isWrapped, isDev, isImported } = options
  const text = new MagicString(code)
  const specifiers: string[] = []
  let before = ''
  for (const required of requiresIn(body, code.length)) {
    const { node, specifier } = required
    const isMerged = isDefaultRequired(specifier)
    if (isImported(required)) {
      if (!specifiers.includes(specifier)) specifiers.push(specifier)
      const module = `__portico_import${specifiers.indexOf(specifier)}`
      const value = /\.json$/.test(specifier)
        ? `${module}.default`
        : isMerged
          ? module
          : `__portico_required(${module})`
      text.update(node.start, node.end, value)
    }
    if (!isMerged) continue
    if (!before.includes(MERGED)) before += MERGED
    text.prependRight(node.start, '__portico_next(').appendLeft(node.end, ')')
  }
  if (specifiers.length > 0) before += REQUIRED
  const names = isWrapped && !isEsModule(body) ? namesOf(body, code.length) : undefined
  if (names) {
    before += 'const module = { exports: {} }; let exports = module.exports; '
    text.append(exportsOf(names, { isRoute, isDev }))
  }
  if (!text.hasChanged() && before === '') return undefined
  // Imports are hoisted; directives must remain the first statements, and lines the same.
  const first = body.find(({ type, directive }) => type !== 'ExpressionStatement' || directive === undefined)
  text.appendLeft(first?.start ?? code.length, before)
  text.append(specifiers.map((name, at) => `\nimport * as __portico_import${at} from ${JSON.stringify(name)}`).join(''))
  return { code: text.toString(), map: text.generateMap({ hires: 'boundary' }) }
}

/** The names that a module exports by Node's objects; undefined if it uses neither. */
function namesOf(body: readonly Node[], end: number): ReadonlySet<string> | undefined {
  const free = freeNames({ type: 'BlockStatement', start: 0, end, body })
  return free.has('module') || free.has('exports') ? commonJsNames(body) : undefined
}

function exportsOf(names: ReadonlySet<string>, { isRoute, isDev }: Pick<ModuleOptions, 'isRoute' | 'isDev'>): string {
  const own = [...names].filter((name) => name !== 'default' && name !== '__esModule')
  // The default of a page is `default`, or all of it; that of another module depends on the mark of compilers.
  const all = isRoute
    ? 'module.exports?.default ?? module.exports'
    : 'module.exports?.__esModule ? module.exports.default : module.exports'
  return [
    `\nexport default (${all})`,
    ...own.map((name, at) => `const __portico_name${at} = module.exports?.[${JSON.stringify(name)}]`),
    ...own.map((name, at) => `export { __portico_name${at} as ${JSON.stringify(name)} }`),
    // As Node names it: what `require` gives.
    ...(isDev ? ['const __portico_exports = module.exports', "export { __portico_exports as 'module.exports' }"] : []),
  ].join('\n')
}

/** The calls of the module's own `require` with a literal. */
function requiresIn(body: readonly Node[], end: number): Required[] {
  if (!freeNames({ type: 'BlockStatement', start: 0, end, body: [...body] }).has('require')) return []
  const found: Required[] = []
  const visit = (node: Node, isGuarded: boolean) => {
    const specifier = requiredBy(node)
    if (specifier !== undefined) found.push({ node, specifier, isGuarded })
    const isTest =
      /^(If|Conditional|Logical)/.test(node.type) && testsWindow(childOf(node, 'test') ?? childOf(node, 'left'))
    for (const value of Object.values(node)) for (const child of nodesIn(value)) visit(child, isGuarded || isTest)
  }
  for (const statement of body) visit(statement, false)
  return found
}

function requiredBy(node: Node): string | undefined {
  if (node.type !== 'CallExpression' || nameAt(node, 'callee') !== 'require') return undefined
  const [first, ...rest] = childrenOf(node, 'arguments')
  return rest.length === 0 && first?.type === 'Literal' && typeof first.value === 'string' ? first.value : undefined
}

function testsWindow(node: Node | undefined): boolean {
  if (!node) return false
  if (node.type === 'UnaryExpression' && node.operator === 'typeof') return nameAt(node, 'argument') === 'window'
  return Object.values(node).some((value) => nodesIn(value).some(testsWindow))
}

/** A fault for each call of `require.context`. */
export function contextFaults(body: readonly Node[], code: string, file: string): BuildError[] {
  const faults: BuildError[] = []
  const visit = (node: Node) => {
    const callee = node.type === 'CallExpression' ? childOf(node, 'callee') : undefined
    if (
      callee?.type === 'MemberExpression' &&
      nameAt(callee, 'object') === 'require' &&
      nameAt(callee, 'property') === 'context'
    ) {
      const [folder] = childrenOf(node, 'arguments')
      const glob = typeof folder?.value === 'string' ? `${folder.value.replace(/\/$/, '')}/*` : './folder/*'
      const rule = `require.context is a function of webpack; write import.meta.glob(${JSON.stringify(glob)}, { eager: true }), an object of modules by path`
      faults.push(authorError({ file, at: { code, offset: node.start }, rule }))
    }
    for (const value of Object.values(node)) nodesIn(value).forEach(visit)
  }
  if (code.includes('context')) body.forEach(visit)
  return faults
}
