// What a module of a package does while it loads, as far as its text proves it: only code outside of functions,
// conditions, loops and `try` counts, because all other code may never run in a browser.

import {
  boundNames,
  childOf,
  childrenOf,
  findNode,
  type Node,
  nameAt,
  nameOf,
  nodesIn,
  parseModule,
} from './module-syntax.ts'

/**
 * Whether loading a module fails when an imported module is empty: the module calls, constructs, extends or reads into a
 * member of it. `rendered` is the module's code after tree shaking, which may have removed a class.
 */
export function isUsedOnLoad(code: string, file: string, specifier: string, rendered: string): boolean {
  const body = parseModule(code, file)
  const depthOf = createDepths(body, specifier)
  const isFault = (node: Node): boolean => {
    switch (node.type) {
      case 'CallExpression':
      case 'NewExpression':
      case 'TaggedTemplateExpression':
        // Tree shaking may remove a call that is marked as pure.
        return depthOf(childOf(node, 'callee') ?? childOf(node, 'tag')) !== undefined && !isPure(code, node)
      case 'MemberExpression':
        return depthOf(childOf(node, 'object')) === 1
      case 'ClassDeclaration':
      case 'ClassExpression':
        return depthOf(childOf(node, 'superClass')) !== undefined && /\bextends\b/.test(rendered)
      default:
        return false
    }
  }
  return evaluatedNodes(body).some(isFault)
}

/** Whether loading a module surely loads the next one (absolute path): by an import or a plain `require`. */
export function requiresOnLoad(code: string, file: string, next: string): boolean {
  const body = parseModule(code, file)
  const imported = body.flatMap((node) => childrenOf(node, 'source'))
  const plain = new Set(evaluatedNodes(body))
  const requires: Node[] = []
  for (const statement of body)
    findNode(statement, (node) => requiredSource(node) !== undefined && requires.push(node) < 0)
  // A specifier may mean another file of the same package: then one in a condition may be the one that loads the file.
  const found = requires.filter((node) => mayBe(nameOf(requiredSource(node)!), next))
  return (
    imported.some((source) => mayBe(nameOf(source), next)) ||
    (found.length > 0 && found.every((node) => plain.has(node)))
  )
}

/** Depth of an expression in an imported module: 0 is the module, 1 a member; undefined for any other expression. */
function createDepths(body: readonly Node[], specifier: string): (node: Node | undefined) => 0 | 1 | undefined {
  const depths = new Map<string, 0 | 1>()
  const depthOf = (node: Node | undefined): 0 | 1 | undefined => {
    if (node?.type === 'Identifier') return depths.get(nameOf(node))
    if (node?.type === 'CallExpression') {
      const source = requiredSource(node)
      return source && nameOf(source) === specifier ? 0 : undefined
    }
    if (node?.type !== 'MemberExpression' || node.optional || depthOf(childOf(node, 'object')) !== 0) return undefined
    const name = node.computed ? '' : (nameAt(node, 'property') ?? '')
    if (name === 'default') return 0
    return name in Object.prototype ? undefined : 1
  }
  for (const node of body)
    if (node.type === 'ImportDeclaration' && nameAt(node, 'source') === specifier)
      for (const each of childrenOf(node, 'specifiers'))
        depths.set(nameAt(each, 'local') ?? '', each.type === 'ImportSpecifier' ? 1 : 0)
    else if (node.type === 'VariableDeclaration')
      for (const declarator of childrenOf(node, 'declarations')) {
        const id = childOf(declarator, 'id')
        const depth = depthOf(childOf(declarator, 'init'))
        if (depth === undefined || !id) continue
        if (id.type === 'Identifier') depths.set(nameOf(id), depth)
        else if (depth === 0) for (const name of plainMembers(id)) depths.set(name, 1)
      }
  // A name that gets another value later may have any value.
  for (const statement of body)
    findNode(statement, (node) => {
      if (node.type === 'AssignmentExpression')
        for (const name of boundNames(childOf(node, 'left'))) depths.delete(name)
      return false
    })
  return depthOf
}

/** The names of a pattern that have no default value. */
function plainMembers(pattern: Node): string[] {
  return childrenOf(pattern, 'properties').flatMap((member) => {
    const value = childOf(member, 'value')
    return value?.type === 'Identifier' ? boundNames(value) : []
  })
}

/** The literal of `require('…')`. */
function requiredSource(node: Node): Node | undefined {
  if (node.type !== 'CallExpression' || nameAt(node, 'callee') !== 'require') return undefined
  const [argument] = childrenOf(node, 'arguments')
  return argument?.type === 'Literal' ? argument : undefined
}

const EVALUATED_STATEMENT = /^(ExpressionStatement|VariableDeclaration|ClassDeclaration|Export\w+Declaration)$/
const NOT_EVALUATED = /Function|^(ClassBody|ChainExpression|AssignmentPattern|ImportExpression|BlockStatement)$/

/** The nodes that a module evaluates whenever it loads. */
function evaluatedNodes(body: readonly Node[]): Node[] {
  const found: Node[] = []
  const visit = (node: Node): void => {
    if (NOT_EVALUATED.test(node.type)) return
    found.push(node)
    for (const [key, value] of Object.entries(node))
      if (!isConditional(node, key)) for (const child of nodesIn(value)) visit(child)
  }
  for (const statement of body) if (EVALUATED_STATEMENT.test(statement.type)) visit(statement)
  return found
}

function isConditional({ type, operator }: Node, key: string): boolean {
  if (type === 'ConditionalExpression') return key !== 'test'
  if (type === 'LogicalExpression') return key === 'right'
  return type === 'AssignmentExpression' && key === 'right' && /^(\|\||&&|\?\?)=$/.test(String(operator))
}

function isPure(code: string, { start }: Node): boolean {
  return /__PURE__\s*\*\/\s*$/.test(code.slice(Math.max(0, start - 40), start))
}

/** Whether a specifier may mean a file; the file is known to be imported. */
function mayBe(specifier: string, file: string): boolean {
  const path = file.replace(/(\/index)?\.\w+$/, '')
  if (!specifier.startsWith('.')) return file.includes(`/node_modules/${specifier.match(/^(@[^/]+\/)?[^/]+/)?.[0]}/`)
  const rest = specifier.replace(/^(\.{1,2}(\/|$))+/, '').replace(/(\/index)?\.\w+$|\/$/, '')
  return rest !== '' && path.endsWith(`/${rest}`)
}
