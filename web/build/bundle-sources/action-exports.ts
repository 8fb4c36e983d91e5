// The actions that 'use server' modules export, read without running a module (A1, A2).

import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ActionEntry } from '@portico/shared/wire/build-output.ts'
import { repeatFault } from '@portico/shared/wire/bundles.ts'
import { attempt, authorError, BuildError, type RefuseFault, throwFault } from '../build-error.ts'
import type { AppFolder } from '../folder/folder.ts'
import {
  childOf,
  childrenOf,
  declaredNames,
  declaredValues,
  type Node,
  nameAt,
  parseModule,
  resolveValue,
} from '../source/source.ts'

/**
 * All actions of an app folder. Throws BuildError for an export that cannot be an action and for two actions with the
 * same id, or passes each to `refuse`.
 */
export async function readActions(
  folder: AppFolder,
  refuse: RefuseFault = throwFault,
  refuseModule = refuse,
): Promise<ActionEntry[]> {
  const all: ActionEntry[] = []
  for (const file of folder.actionModules) {
    const code = await readFile(join(folder.dir, file), 'utf8')
    for (const action of attempt(refuseModule, () => readActionExports(code, file)) ?? []) {
      const twin = all.find(({ id }) => id === action.id)
      if (twin)
        refuse(
          new BuildError(
            `${file} and ${twin.file}: the id "${action.id}" is given twice, to the actions "${action.name}" and "${twin.name}"`,
          ),
        )
      all.push(action)
    }
  }
  return all
}

/** The actions that one module exports. Throws BuildError for an export that cannot be an action. */
export function readActionExports(code: string, file: string): ActionEntry[] {
  const module: Module = { code, file }
  const body = parseModule(code, file)
  const declared = new Map(body.flatMap(declaredValues))
  const exports: ActionEntry[] = []
  const add = (name: string, value: Node | undefined) => {
    const action = resolveValue(value, declared)
    refuseNonAction(action, name, module)
    exports.push({ id: actionId(file, name), ...declaredOptions(action, name, module), file, name })
  }
  for (const node of body) {
    if (node.exportKind === 'type') continue
    if (node.type === 'ExportAllDeclaration')
      throw refusal(module, node, `a 'use server' module must name its exports; "export *" is not allowed`)
    const declaration = childOf(node, 'declaration')
    if (node.type === 'ExportDefaultDeclaration') add('default', declaration)
    if (node.type !== 'ExportNamedDeclaration') continue
    for (const [name, value] of declaredValues(node)) add(name, value)
    for (const specifier of childrenOf(node, 'specifiers'))
      if (specifier.exportKind !== 'type')
        // The value of a re-export is unknown here: it is checked when the actions service loads the module.
        add(nameAt(specifier, 'exported') ?? '', node.source ? undefined : childOf(specifier, 'local'))
    if (declaration && /^TS(Enum|Module)Declaration$/.test(declaration.type))
      refuseNonAction(declaration, declaredNames(declaration).join(), module)
  }
  return exports
}

/** Nodes whose value may be an async function; the value of any other node is known and is not an async function. */
const MAY_BE_ACTION =
  /^(CallExpression|Identifier|MemberExpression|ConditionalExpression|LogicalExpression|AwaitExpression|TaggedTemplateExpression)$/

function refuseNonAction(value: Node | undefined, name: string, module: Module): void {
  if (!value || MAY_BE_ACTION.test(value.type)) return
  if (/Function/.test(value.type) && value.async && !value.generator) return
  if (/Pattern$/.test(value.type))
    throw refusal(
      module,
      value,
      `the action "${name}" must be exported by name; a destructuring pattern is not allowed`,
    )
  throw refusal(module, value, `a 'use server' module may only export async functions; "${name}" is not one`)
}

interface Module {
  code: string
  /** App-relative. */
  file: string
}

function refusal({ code, file }: Module, { start }: Node, rule: string): BuildError {
  return authorError({ file, at: { code, offset: start }, rule, docs: 'actionModules' })
}

/** Depends on module path and export name only, so that it is equal in every build and on every machine. */
function actionId(file: string, name: string): string {
  const path = file.replace(/\.[tj]sx?$/, '')
  return createHash('sha256').update(`${path}#${name}`).digest('hex').slice(0, 20)
}

/** An id is sent in a header and in the name of a form field (W3). */
const ID = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/

/** The literals of `defineAction({ id: '…', repeat: 'allow' })`. */
function declaredOptions(
  call: Node | undefined,
  name: string,
  module: Module,
): Pick<ActionEntry, 'repeat'> & { id?: string } {
  if (call?.type !== 'CallExpression' || nameAt(call, 'callee') !== 'defineAction') return {}
  const [options] = childrenOf(call, 'arguments')
  const id = literalOf(options, 'id')
  if (id && !(typeof id.value === 'string' && ID.test(id.value)))
    throw refusal(
      module,
      id.property,
      `the id of the action "${name}" must be a string of 1 to 64 letters, digits, "_", "." and "-", written as a literal`,
    )
  const repeat = literalOf(options, 'repeat')
  if (repeat && repeat.value !== 'allow')
    throw refusal(module, repeat.property, `${name}: ${repeatFault(repeat.value)}`)
  return { ...(id && { id: id.value as string }), ...(repeat && { repeat: 'allow' }) }
}

/** A property and its value; the value is undefined when it is no literal. */
function literalOf(options: Node | undefined, name: string): { property: Node; value: unknown } | undefined {
  for (const property of options ? childrenOf(options, 'properties') : []) {
    if (property.type !== 'Property' || property.computed || nameAt(property, 'key') !== name) continue
    const literal = childOf(property, 'value')
    return { property, value: literal?.type === 'Literal' ? literal.value : undefined }
  }
  return undefined
}
