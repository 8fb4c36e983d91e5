// `import()` of a template without an ending, such as import(`../messages/${locale}/messages`): the bundler finds modules by
// whole names only. The module gets those that the template may mean, with the endings that an import may leave out.

import { dirname, relative } from 'node:path'
import MagicString from 'magic-string'
import type { Plugin } from 'vite'
import { isSiteModule } from '../bundles/server-modules.ts'
import { childOf, childrenOf, type Node, nodesIn, parseModule } from '../folder/module-syntax.ts'
import { isMarkdown, withoutQuery } from '../folder/source-paths.ts'
import type { NextSettings } from '../next/fields/next-settings.ts'
import { readPathOptions, targetsOf } from '../next/transforms/path-aliases.ts'

/** In the order in which an import tries them. */
const ENDINGS = ['js', 'mjs', 'tsx', 'ts', 'jsx', 'json']
/** Fails as an import in Next.js does, also for the libraries that compare the code. */
const FIND = `function __portico_find(modules, name) {
  const names = ['', ...${JSON.stringify(ENDINGS)}.flatMap((each) => ['.' + each, '/index.' + each])].map((end) => name + end)
  const load = modules[names.find((each) => Object.hasOwn(modules, each))]
  return load ? load() : Promise.reject(Object.assign(new Error("Cannot find module '" + name + "'"), { code: 'MODULE_NOT_FOUND' }))
}`

export function templateImports(appDir: string, settings: () => NextSettings): Plugin {
  return {
    name: 'portico:template-imports',
    enforce: 'pre',
    transform(code, id) {
      const path = withoutQuery(id)
      if (id.startsWith('\0') || !isSiteModule(path) || isMarkdown(path)) return undefined
      const { on, tsconfig } = settings()
      // What `paths` of tsconfig.json means in compatibility mode.
      return findTemplates(code, path, (start) =>
        on ? targetsOf(start, readPathOptions(appDir, tsconfig))[0] : undefined,
      )
    },
  }
}

/** In the place of the rest of a name: paths lose a slash at their end. */
const REST = 'x'

/** Undefined for a module without such an import. `folderOf` returns the path of a name that is not relative. */
export function findTemplates(
  code: string,
  path: string,
  folderOf: (start: string) => string | undefined = () => undefined,
) {
  if (!/\bimport\s*\(/.test(code)) return undefined
  const text = new MagicString(code)
  const visit = (node: Node) => {
    const source = node.type === 'ImportExpression' ? childOf(node, 'source') : undefined
    const template = source && readTemplate(source, path, folderOf)
    if (source && template) {
      text.update(node.start, source.start, `__portico_find(import.meta.glob(${JSON.stringify(globsOf(template))}), `)
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
  text.append(`\n${FIND}`)
  return { code: text.toString(), map: text.generateMap({ hires: 'boundary' }) }
}

/** The texts of a template that names modules by a relative path and whose last one has no ending. */
function readTemplate(
  source: Node,
  path: string,
  folderOf: (start: string) => string | undefined,
): string[] | undefined {
  if (source.type !== 'TemplateLiteral' || childrenOf(source, 'expressions').length === 0) return undefined
  const [first = '', ...others] = childrenOf(source, 'quasis').map(({ value }) => (value as { cooked: string }).cooked)
  if (/\.\w+$/.test(others.at(-1) ?? '')) return undefined
  if (/^\.\.?\//.test(first)) return [first, ...others]
  const target = /\//.test(first) ? folderOf(first + REST) : undefined
  if (target === undefined) return undefined
  const start = relative(dirname(path), target).replaceAll('\\', '/').slice(0, -REST.length)
  return [start.startsWith('.') ? start : `./${start}`, ...others]
}

/** A last text that is empty may be any path below the folder, with its ending or without. */
function globsOf(texts: readonly string[]): string[] {
  const name = texts.map((text) => text.replaceAll(/[*?[\]{}()!@+]/g, '\\$&')).join('*')
  const endings = `{${ENDINGS.join(',')}}`
  return texts.at(-1) === ''
    ? [`${name.slice(0, -1)}**/*.${endings}`]
    : [`${name}.${endings}`, `${name}/index.${endings}`]
}
