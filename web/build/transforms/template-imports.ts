// `import()` of a template without an ending, such as import(`../messages/${locale}/messages`): the bundler finds modules by
// whole names only. The module gets those that the template may mean, with the endings that an import may leave out, and
// those of files that loaders of `turbopack.rules` turn into modules.

import { dirname, relative } from 'node:path'
import MagicString from 'magic-string'
import type { Plugin } from 'vite'
import { isSiteModule } from '../bundle-sources/bundle-sources.ts'
import type { ModeSettings } from '../mode.ts'
import {
  childOf,
  childrenOf,
  isMarkdown,
  type Node,
  nodesIn,
  parseModule,
  readPathOptions,
  targetsOf,
  withoutQuery,
} from '../source/source.ts'

/** In the order in which an import tries them. */
const ENDINGS = ['js', 'mjs', 'tsx', 'ts', 'jsx', 'json']
/** Fails as an import in Next.js does, also for the libraries that compare the code. */
const FIND = `function __portico_find(modules, name) {
  const names = ['', ...${JSON.stringify(ENDINGS)}.flatMap((each) => ['.' + each, '/index.' + each])].map((end) => name + end)
  const load = modules[names.find((each) => Object.hasOwn(modules, each))]
  return load ? load() : Promise.reject(Object.assign(new Error("Cannot find module '" + name + "'"), { code: 'MODULE_NOT_FOUND' }))
}`

export function templateImports(appDir: string, settings: () => ModeSettings): Plugin {
  return {
    name: 'portico:template-imports',
    enforce: 'pre',
    transform(code, id) {
      const path = withoutQuery(id)
      if (id.startsWith('\0') || !isSiteModule(path) || isMarkdown(path)) return undefined
      const { on, tsconfig, loaderRules } = settings()
      return findTemplates(code, path, {
        // What `paths` of tsconfig.json means in compatibility mode.
        folderOf: (start) => (on ? targetsOf(start, readPathOptions(appDir, tsconfig))[0] : undefined),
        more: loaderRules.flatMap(({ glob, as }) => (as && /\*\.(\w+)$/.exec(glob)?.[1]) || []),
      })
    },
  }
}

/** In the place of the rest of a name: paths lose a slash at their end. */
const REST = 'x'

interface TemplateOptions {
  /** Returns the path of a name that is not relative. */
  folderOf?: (start: string) => string | undefined
  /** Further endings of modules. */
  more?: readonly string[]
}

/** Undefined for a module without such an import. */
export function findTemplates(code: string, path: string, { folderOf, more = [] }: TemplateOptions = {}) {
  if (!/\bimport\s*\(/.test(code)) return undefined
  const text = new MagicString(code)
  const visit = (node: Node) => {
    const source = node.type === 'ImportExpression' ? childOf(node, 'source') : undefined
    const whole = source && wholeText(source)
    const template = whole === undefined && source ? readTemplate(source, path, folderOf) : undefined
    if (source && whole !== undefined) text.update(source.start, source.end, JSON.stringify(whole))
    if (source && template) {
      const globs = globsOf(template, [...ENDINGS, ...more])
      text.update(node.start, source.start, `__portico_find(import.meta.glob(${JSON.stringify(globs)}), `)
      // Behind the quote; the parser's places of the texts differ between JavaScript and TypeScript.
      const start = source.start + 1
      const { raw } = childOf(source, 'quasis')!.value as { raw: string }
      if (raw !== template[0]) text.update(start, start + raw.length, template[0]!)
      text.update(source.end, node.end, ')')
    }
    for (const value of Object.values(node)) nodesIn(value).forEach(visit)
  }
  parseModule(code, path).forEach(visit)
  if (!text.hasChanged()) return undefined
  if (text.toString().includes('__portico_find(')) text.append(`\n${FIND}`)
  return { code: text.toString(), map: text.generateMap({ hires: 'boundary' }) }
}

/** The text of a template whose values are texts in the source, such as `../${'README.md'}`. */
function wholeText(source: Node): string | undefined {
  if (source.type !== 'TemplateLiteral') return undefined
  const values = childrenOf(source, 'expressions')
  if (values.length === 0 || !values.every(({ type, value }) => type === 'Literal' && typeof value === 'string'))
    return undefined
  const texts = childrenOf(source, 'quasis').map(({ value }) => (value as { cooked: string }).cooked)
  return texts.map((text, at) => text + String(values[at]?.value ?? '')).join('')
}

/** The texts of a template that names modules by a relative path and whose last one has no ending. */
function readTemplate(source: Node, path: string, folderOf: TemplateOptions['folderOf']): string[] | undefined {
  if (source.type !== 'TemplateLiteral' || childrenOf(source, 'expressions').length === 0) return undefined
  const [first = '', ...others] = childrenOf(source, 'quasis').map(({ value }) => (value as { cooked: string }).cooked)
  if (/\.\w+$/.test(others.at(-1) ?? '')) return undefined
  if (/^\.\.?\//.test(first)) return [first, ...others]
  const target = /\//.test(first) ? folderOf?.(first + REST) : undefined
  if (target === undefined) return undefined
  const start = relative(dirname(path), target).replaceAll('\\', '/').slice(0, -REST.length)
  return [start.startsWith('.') ? start : `./${start}`, ...others]
}

/** A value at the end may be any path below the folder, or behind the start of a name, with its ending or without. */
function globsOf(texts: readonly string[], allowed: readonly string[]): string[] {
  const name = texts.map((text) => text.replaceAll(/[*?[\]{}()!@+]/g, '\\$&')).join('*')
  const endings = `{${allowed.join(',')}}`
  if (texts.at(-1) !== '') return [`${name}.${endings}`, `${name}/index.${endings}`]
  return name.endsWith('/*') ? [`${name}*/*.${endings}`] : [`${name}.${endings}`, `${name}/**/*.${endings}`]
}
