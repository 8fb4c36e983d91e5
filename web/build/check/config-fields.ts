// Fields of configuration files, found in their sources: the line of a fault of portico.config.*, and the fields of
// next.config.* that portico.config.* does not have. No file is run.

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DOCS } from '../build-error.ts'
import { offsetOfField } from '../config/config-place.ts'
import { settingRule } from '../config/site-config.ts'
import {
  childOf,
  childrenOf,
  declaredValues,
  type Node,
  nameAt,
  parseModule,
  resolveValue,
} from '../folder/module-syntax.ts'
import { type Fault, type Finding, placeAt } from './report.ts'

/** Adds to a fault of portico.config.* the line of the field that the text names first: `redirects[0].source = "x": …`. */
export function withFieldPlace(finding: Finding, dir: string): Finding {
  const [place] = finding.places
  const [, field] = /^([A-Za-z]\w*)[^:=]*(?: = |: )/.exec(finding.text) ?? []
  if (!place?.file.startsWith('portico.config.') || place.line !== undefined || field === undefined) return finding
  const { code } = readSource(dir, place.file)
  const offset = offsetOfField(code, place.file, field)
  return offset === undefined ? finding : { ...finding, places: [placeAt(place.file, code, offset)] }
}

/** The fields of next.config.* that are no settings of Portico, where the source writes them out. */
export function findNextFields(dir: string, file: string): Fault[] {
  const { code, body } = readSource(dir, file)
  return exportedFields(body).flatMap(({ name, start }) => {
    const rule = settingRule(name)
    if (rule === undefined) return []
    return [{ kind: 'missing', text: `${name} ${rule}`, docs: DOCS.refusals, places: [placeAt(file, code, start)] }]
  })
}

function exportedFields(body: readonly Node[]): { name: string; start: number }[] {
  const declared = new Map(body.flatMap(declaredValues))
  const value = resolveValue(body.map(exportedValue).find(Boolean), declared)
  if (value?.type !== 'ObjectExpression') return []
  return childrenOf(value, 'properties').flatMap((property) => {
    const name = property.computed ? undefined : nameAt(property, 'key')
    return name === undefined ? [] : [{ name, start: property.start }]
  })
}

/** Of `export default …` and of `module.exports = …`. */
function exportedValue(statement: Node): Node | undefined {
  if (statement.type === 'ExportDefaultDeclaration') return childOf(statement, 'declaration')
  const assignment = statement.type === 'ExpressionStatement' ? childOf(statement, 'expression') : undefined
  const left = assignment?.type === 'AssignmentExpression' ? childOf(assignment, 'left') : undefined
  const isExports = left && nameAt(left, 'object') === 'module' && nameAt(left, 'property') === 'exports'
  return isExports && assignment ? childOf(assignment, 'right') : undefined
}

function readSource(dir: string, file: string): { code: string; body: Node[] } {
  const path = join(dir, file)
  const code = existsSync(path) ? readFileSync(path, 'utf8') : ''
  return { code, body: parseModule(code, file) }
}
