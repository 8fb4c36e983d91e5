// What a module of Node knows of its place: `__dirname`, `__filename`, `require` and `import.meta`. In server code of the
// site the names mean the source, as in Next.js: chunks of a build are elsewhere.

import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { SHARED_FRAMEWORK } from '@portico/shared/wire/bundles.ts'
import MagicString from 'magic-string'
import type { Plugin } from 'vite'
import { isSiteModule } from '../bundle-sources/bundle-sources.ts'
import {
  appRelative,
  childOf,
  childrenOf,
  freeNames,
  type Node,
  nameAt,
  nameOf,
  nodesIn,
  parseModule,
  withoutQuery,
} from '../source/source.ts'

/** Begin and end of the ids of the modules that export the names, around the path of the source, whose ending is not theirs. */
const PLACE = '\0portico-place:'
const END = ':'
/** A cheap test: most modules name none. */
const NAMED = /\b(__dirname|__filename|require)\b|\bimport\s*\.\s*meta\s*\.\s*(dirname|filename|url)\b/

const VARIABLES: Readonly<Record<string, string>> = {
  __dirname: '__portico_dirname',
  __filename: '__portico_filename',
  require: '__portico_require',
}
const OF_META: Readonly<Record<string, string>> = {
  dirname: '__portico_dirname',
  filename: '__portico_filename',
  url: '__portico_url',
}

export function modulePlace(appDir: string): Plugin {
  return {
    name: 'portico:module-place',
    enforce: 'pre',
    applyToEnvironment: ({ config }) => config.consumer === 'server',
    resolveId: (id) => (id.startsWith(PLACE) ? id : undefined),
    load(id) {
      if (!id.startsWith(PLACE)) return undefined
      return placeModule(id.slice(PLACE.length, -END.length), this.environment.mode === 'dev' ? undefined : appDir)
    },
    transform(code, id) {
      const path = withoutQuery(id)
      if (id.startsWith('\0') || !isSiteModule(path)) return undefined
      return replacePlace(code, path, this.environment.mode === 'dev')
    },
  }
}

/**
 * The module with imported names in the place of Node's; undefined if it uses none. The bundler finds the module that a
 * `require` with a literal names; development has Node load it, and Vite gives the members of `import.meta`.
 */
export function replacePlace(code: string, path: string, isDev: boolean) {
  if (!NAMED.test(code)) return
  const body = parseModule(code, path)
  const imported = body.flatMap((node) => childrenOf(node, 'specifiers')).map((node) => nameAt(node, 'local'))
  const free = freeNames({ type: 'BlockStatement', start: 0, end: code.length, body })
  const text = new MagicString(code)
  const used = new Set<string>()
  const localOf = (name: string) =>
    Object.hasOwn(VARIABLES, name) && free.has(name) && !imported.includes(name) ? VARIABLES[name] : undefined
  const replace = (node: Node, local: string, before = '') => {
    used.add(local)
    text.update(node.start, node.end, before + local)
  }
  const visit = (node: Node) => {
    const member = isDev ? undefined : memberOfMeta(node)
    if (member !== undefined) return replace(node, member)
    if (node.type === 'Identifier') {
      const local = localOf(nameOf(node))
      if (local !== undefined) replace(node, local)
      return
    }
    if (!isDev && isPlainRequire(node)) return
    if (node.type === 'Property' && node.shorthand === true) {
      const local = localOf(nameAt(node, 'key') ?? '')
      if (local !== undefined) return replace(node, local, `${nameAt(node, 'key')}: `)
    }
    for (const [key, value] of Object.entries(node)) {
      const isName = !node.computed && (key === 'property' || (key === 'key' && node.type !== 'TemplateLiteral'))
      if (!isName) nodesIn(value).forEach(visit)
    }
  }
  body.forEach(visit)
  if (used.size === 0) return
  const names = `{ ${[...used].join(', ')} }`
  const from = JSON.stringify(PLACE + path + END)
  // At the end: directives must remain the first statements.
  if (body.some(({ type }) => /^(Import|Export)/.test(type))) text.append(`\nimport ${names} from ${from}`)
  else text.prepend(`var ${names} = require(${from}); `)
  return { code: text.toString(), map: text.generateMap({ hires: 'boundary' }) }
}

function memberOfMeta(node: Node): string | undefined {
  if (node.type !== 'MemberExpression' || node.computed || childOf(node, 'object')?.type !== 'MetaProperty')
    return undefined
  const name = nameAt(node, 'property') ?? ''
  return Object.hasOwn(OF_META, name) ? OF_META[name] : undefined
}

/** `require('…')`. */
function isPlainRequire(node: Node): boolean {
  if (node.type !== 'CallExpression') return false
  const callee = childOf(node, 'callee')
  const [first, ...rest] = childrenOf(node, 'arguments')
  const isRequire = callee?.type === 'Identifier' && nameOf(callee) === 'require'
  return isRequire && rest.length === 0 && first?.type === 'Literal' && typeof first.value === 'string'
}

/** `appDir`: of a build, which runs in another folder than it is written in. */
function placeModule(path: string, appDir: string | undefined): string {
  const site = `globalThis[Symbol.for(${JSON.stringify(SHARED_FRAMEWORK.description)})].copy.siteDir`
  const lines =
    appDir === undefined
      ? [
          `export const __portico_filename = ${JSON.stringify(path)}`,
          `export const __portico_dirname = ${JSON.stringify(dirname(path))}`,
          `export const __portico_url = ${JSON.stringify(pathToFileURL(path).href)}`,
        ]
      : [
          `import { join } from 'node:path'`,
          `import { pathToFileURL } from 'node:url'`,
          `export const __portico_filename = /* @__PURE__ */ join(${site}, ${JSON.stringify(appRelative(appDir, path))})`,
          `export const __portico_dirname = /* @__PURE__ */ join(${site}, ${JSON.stringify(join(appRelative(appDir, path), '..'))})`,
          `export const __portico_url = /* @__PURE__ */ pathToFileURL(__portico_filename).href`,
        ]
  return [
    `import { createRequire } from 'node:module'`,
    ...lines,
    `export const __portico_require = /* @__PURE__ */ createRequire(__portico_filename)`,
  ].join('\n')
}
