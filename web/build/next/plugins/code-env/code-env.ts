// The variables `NEXT_PUBLIC_…` that code reads as `process.env.NAME` (X6). Next.js has their values in bundles; here browsers
// read them from the document, and the server from its environment, so that one build serves every environment. Web workers
// have no document: they have the value of the build.

import MagicString from 'magic-string'
import type { Plugin } from 'vite'
import { authorError, type BuildError } from '../../../build-error.ts'
import type { BundleSources } from '../../../bundle-sources/bundle-sources.ts'
import { isRuntime, runtimeModule } from '../../../framework-files.ts'
import { isWritten } from '../../../server-code/server-code.ts'
import {
  appRelative,
  childOf,
  type FreeUse,
  freeUses,
  isScript,
  type Node,
  nameAt,
  parseModule,
  withoutQuery,
} from '../../../source/source.ts'
import type { NextPlugin } from '../next-plugin.ts'

export const PUBLIC_NAME = /^NEXT_PUBLIC_\w+$/
/** A cheap test: most modules have no such name. */
const NAMES_PUBLIC = /\bNEXT_PUBLIC_\w/
/** The function that reads a value in the browser. The bundler imports it, into CommonJS modules, too. */
const READER = '__portico_code_env'

/** One read of a variable by its literal name. */
export interface PublicRead {
  name: string
  node: Node
  /** The nodes around it, the innermost first. */
  parents: readonly Node[]
}

/** The reads that Next.js replaces by values. */
export function publicReads(code: string, path: string): PublicRead[] {
  if (!NAMES_PUBLIC.test(code)) return []
  return environmentUses(code, path).flatMap(({ node, parents }) => {
    const { outer, around } = unwrapped(node, parents)
    const [member, ...rest] = around
    const name = member && memberName(member, outer)
    if (!name || !PUBLIC_NAME.test(name) || isWritten(member, rest)) return []
    return [{ name, node: member, parents: rest }]
  })
}

/** Every `process.env` of a module, whose `process` is the global one. */
export function environmentUses(code: string, path: string): FreeUse[] {
  // A loader may have made a module of any file.
  const body = parseModule(code, isScript(path) || path.endsWith('.mdx') ? path : 'module.js')
  return freeUses(body, new Set(['process'])).flatMap(({ node, parents }) => {
    if (node.type !== 'Identifier') return []
    const { outer, around } = unwrapped(node, parents)
    const [env, ...rest] = around
    return env && memberName(env, outer) === 'env' ? [{ node: env, parents: rest }] : []
  })
}

const WRAPPERS = /^(TS(NonNull|As|Satisfies)Expression|TSTypeAssertion|ParenthesizedExpression|ChainExpression)$/

/** The expression with the casts and parentheses around it, and the nodes around these. */
export function unwrapped(node: Node, parents: readonly Node[]): { outer: Node; around: readonly Node[] } {
  const end = parents.findIndex(({ type }) => !WRAPPERS.test(type))
  const wrappers = end === -1 ? parents : parents.slice(0, end)
  return { outer: wrappers.at(-1) ?? node, around: parents.slice(wrappers.length) }
}

/** The literal name of the member of an object that an expression means. */
function memberName(expression: Node, object: Node): string | undefined {
  if (expression.type !== 'MemberExpression' || expression.object !== object) return undefined
  const property = childOf(expression, 'property')
  if (!expression.computed) return nameAt(expression, 'property')
  return property?.type === 'Literal' && typeof property.value === 'string' ? property.value : undefined
}

/**
 * The module with other expressions in the place of its reads; undefined without one. `textOf` returns the expression in the
 * place of a read, and undefined for one that stays.
 */
export function replacePublicReads(
  code: string,
  path: string,
  textOf: (read: PublicRead, isStatement: boolean) => string | undefined,
) {
  const text = new MagicString(code)
  for (const read of publicReads(code, path)) {
    const { start, end } = read.node
    const isStatement = read.parents.some((node) => node.type === 'ExpressionStatement' && node.start === start)
    const replacement = textOf(read, isStatement)
    if (replacement !== undefined) text.update(start, end, replacement)
  }
  return text.hasChanged() ? { code: text.toString(), map: text.generateMap({ hires: 'boundary' }) } : undefined
}

/** The first line without a semicolon before a parenthesis would call what it ends with. */
function readInBrowser({ name }: PublicRead, isStatement: boolean): string {
  const call = `${READER}(${JSON.stringify(name)})`
  // Without effects: the bundler removes a read that nothing uses.
  return isStatement ? call : `(/* @__PURE__ */ ${call})`
}

/** Notes the variables that modules read, and has browsers read them from the document. */
function plugin(appDir: string, sources: () => BundleSources): Plugin {
  let isWorker = false
  return {
    name: 'portico:code-env',
    enforce: 'pre',
    apply: 'build',
    config({ build }) {
      if (build?.ssr || !sources().next.codeEnv) return undefined
      const inject = { [READER]: [runtimeModule('next/page-data.ts'), 'codeVariable'] as [string, string] }
      return { build: { rolldownOptions: { transform: { inject } } } }
    },
    configResolved(config) {
      isWorker = config.isWorker
    },
    transform: {
      filter: { code: NAMES_PUBLIC },
      handler(code, id) {
        const { next, config, codeVariables } = sources()
        const values = next.codeEnv
        const path = withoutQuery(id)
        if (!values || isRuntime(path)) return undefined
        const isBrowser = this.environment.config.consumer === 'client'
        return replacePublicReads(code, path, (read, isStatement) => {
          const { name } = read
          // `env` of next.config.
          if (Object.hasOwn(next.defines, `process.env.${name}`)) return undefined
          if (isWorker) return Object.hasOwn(values, name) ? JSON.stringify(values[name]) : '(void 0)'
          if (Object.hasOwn(config.publicEnv, name)) throw bothFault(read, code, appRelative(appDir, path))
          if (!codeVariables.has(name)) codeVariables.set(name, {})
          return isBrowser ? readInBrowser(read, isStatement) : undefined
        })
      },
    },
    generateBundle(_options, bundle) {
      if (isWorker || this.environment.config.consumer !== 'client') return
      const code = Object.values(bundle).flatMap((file) => (file.type === 'chunk' ? file.code : []))
      // SECURITY: what only server code reads is in no document.
      for (const [name, variable] of sources().codeVariables)
        if (
          code.some((text) => text.includes(`"${name}"`) || text.includes(`\`${name}\``) || text.includes(`'${name}'`))
        )
          variable.browser = true
    },
  }
}

/** A variable with two rules would have two values. */
function bothFault({ name, node }: PublicRead, code: string, file: string): BuildError {
  const rule = `reads process.env.${name}, which is also in publicEnv of portico.config.ts; use publicEnv('${name}') of portico here, or remove the name from publicEnv`
  return authorError({ file, at: { code, offset: node.start }, rule, docs: 'codeEnv' })
}

/** The faults of a module without a build. */
export function bothFaults(
  { code, path, file }: { code: string; path: string; file: string },
  { next, config }: Pick<BundleSources, 'next' | 'config'>,
): BuildError[] {
  if (!next.codeEnv) return []
  return publicReads(code, path)
    .filter(({ name }) => Object.hasOwn(config.publicEnv, name) && !Object.hasOwn(next.defines, `process.env.${name}`))
    .map((read) => bothFault(read, code, file))
}

export const codeEnv: NextPlugin = { plugins: (appDir, sources) => [plugin(appDir, sources)] }
