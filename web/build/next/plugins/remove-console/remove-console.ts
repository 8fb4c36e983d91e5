// `compiler.removeConsole` of next.config.*: builds remove the calls of the console from the site's own modules.

import MagicString from 'magic-string'
import type { Plugin } from 'vite'
import { isSiteModule } from '../../../bundle-sources/bundle-sources.ts'
import type { ModeSettings } from '../../../mode.ts'
import { childOf, type Node, nameAt, nodesIn, parseModule, withoutQuery } from '../../../source/source.ts'
import type { NextPlugin } from '../next-plugin.ts'

export const removeConsole: NextPlugin = {
  plugins: (_appDir, sources) => [consoleCalls(() => sources().next)],
}

function consoleCalls(settings: () => ModeSettings): Plugin {
  return {
    name: 'portico:remove-console',
    enforce: 'pre',
    transform(code, id) {
      const options = settings().removeConsole
      const path = withoutQuery(id)
      if (!options || !isSiteModule(path) || this.environment.mode === 'dev') return undefined
      return withoutConsole(code, path, options.exclude)
    },
  }
}

/** The module without calls such as `console.log(…)`; the methods in `exclude` stay. */
export function withoutConsole(code: string, path: string, exclude: readonly string[]) {
  if (!code.includes('console')) return undefined
  const text = new MagicString(code)
  const visit = (node: Node): void => {
    // Not `void 0`: a member may follow, and parentheses could continue the line before.
    if (isConsoleCall(node, exclude)) return void text.update(node.start, node.end, 'undefined')
    for (const value of Object.values(node)) nodesIn(value).forEach(visit)
  }
  parseModule(code, path).forEach(visit)
  return text.hasChanged() ? { code: text.toString(), map: text.generateMap({ hires: 'boundary' }) } : undefined
}

function isConsoleCall(node: Node, exclude: readonly string[]): boolean {
  const callee = node.type === 'CallExpression' ? childOf(node, 'callee') : undefined
  if (callee?.type !== 'MemberExpression' || callee.computed) return false
  const object = childOf(callee, 'object')
  const isConsole = object?.type === 'Identifier' && object.name === 'console'
  return isConsole && !exclude.includes(nameAt(callee, 'property') ?? '')
}
