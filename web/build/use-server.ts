// 'use server' modules: references in the browser's and the renderer's bundle, the real functions only in the actions
// bundle (A1, A2).

import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Plugin, parseSync } from 'vite'
import { type AppFolder, appRelative, BuildError, hasUseServer } from './app-folder.ts'

export interface ActionExport {
  id: string
  /** App-relative path of the module. */
  file: string
  /** Exported name. */
  name: string
}

/** Replaces a 'use server' module by references with the ids of its exports. */
export function useServerReferences(appDir: string, referenceModule: string): Plugin {
  return {
    name: 'portico:use-server',
    enforce: 'pre',
    transform(code, id) {
      const path = id.split('?')[0]!
      if (!path.startsWith(appDir) || !/\.[tj]sx?$/.test(path) || !hasUseServer(code, path)) return
      const file = appRelative(appDir, path)
      const exports = readActionExports(code, file)
      const lines = exports.map(({ id: actionId, name }) => {
        const value = `createActionReference(${JSON.stringify(actionId)})`
        return name === 'default' ? `export default ${value}` : `export const ${name} = ${value}`
      })
      return {
        code: `import { createActionReference } from ${JSON.stringify(referenceModule)}\n${lines.join('\n')}\n`,
        map: null,
      }
    },
  }
}

/** All actions of an app folder. Throws BuildError when two have one id. */
export async function readActions(folder: AppFolder): Promise<ActionExport[]> {
  const all: ActionExport[] = []
  for (const file of folder.actionModules) {
    for (const action of readActionExports(await readFile(join(folder.dir, file), 'utf8'), file)) {
      const twin = all.find(({ id }) => id === action.id)
      if (twin)
        throw new BuildError(
          `${file} and ${twin.file}: the actions "${action.name}" and "${twin.name}" have one id, "${action.id}"`,
        )
      all.push(action)
    }
  }
  return all
}

/** The actions that one module exports. Throws BuildError for exports that cannot be one. */
export function readActionExports(code: string, file: string): ActionExport[] {
  const { program } = parseSync(file, code)
  const exports: ActionExport[] = []
  const add = (name: string, init?: unknown) =>
    exports.push({ id: declaredId(init) ?? actionId(file, name), file, name })
  for (const node of program.body) {
    if (node.type === 'ExportAllDeclaration')
      throw new BuildError(`${file}: a 'use server' module must name what it exports; "export *" hides it`)
    if (node.type === 'ExportDefaultDeclaration') add('default', node.declaration)
    if (node.type !== 'ExportNamedDeclaration' || node.exportKind === 'type') continue
    const { declaration } = node
    if (declaration?.type === 'FunctionDeclaration') {
      if (!declaration.async)
        throw new BuildError(`${file}: the action "${declaration.id?.name}" must be an async function`)
      add(declaration.id!.name)
    } else if (declaration?.type === 'VariableDeclaration') {
      for (const { id, init } of declaration.declarations) if (id.type === 'Identifier') add(id.name, init)
    } else if (declaration?.type === 'ClassDeclaration')
      throw new BuildError(
        `${file}: a 'use server' module exports async functions only, not the class "${declaration.id?.name}"`,
      )
    for (const specifier of node.specifiers)
      if (specifier.exportKind !== 'type')
        add(specifier.exported.type === 'Identifier' ? specifier.exported.name : String(specifier.exported.value))
  }
  return exports
}

/** Stable across builds and machines: module path and export name, nothing else. */
function actionId(file: string, name: string): string {
  const path = file.replace(/\.[tj]sx?$/, '')
  return createHash('sha256').update(`${path}#${name}`).digest('hex').slice(0, 20)
}

/** The literal of `defineAction({ id: '…' })`. */
function declaredId(init: unknown): string | undefined {
  const call = init as
    | { type?: string; callee?: { name?: string }; arguments?: { type: string; properties?: unknown[] }[] }
    | null
    | undefined
  if (call?.type !== 'CallExpression' || call.callee?.name !== 'defineAction') return undefined
  const options = call.arguments?.[0]
  for (const property of (options?.properties ?? []) as { key?: { name?: string }; value?: { value?: unknown } }[])
    if (property.key?.name === 'id' && typeof property.value?.value === 'string') return property.value.value
  return undefined
}
