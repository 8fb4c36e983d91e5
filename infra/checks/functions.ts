// Finds functions that are too long to be read on one screen.

import { parseSync } from 'vite'

interface Node {
  type: string
  start: number
  end: number
}

/** Names the functions with more lines than allowed, for example `services/gateway/app.ts:77 has 91 lines`. */
export function longFunctions(file: string, text: string, mostLines: number): string[] {
  const { program } = parseSync(file, text)
  const found: string[] = []
  visit(program, ({ type, start, end }) => {
    if (!/^(FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/.test(type)) return
    const lines = text.slice(start, end).split('\n').length
    if (lines > mostLines) found.push(`${file}:${text.slice(0, start).split('\n').length} has ${lines} lines`)
  })
  return found
}

/** Calls `note` with the value and each node below it. */
function visit(value: unknown, note: (node: Node) => void): void {
  if (typeof value !== 'object' || value === null) return
  if ('type' in value && 'start' in value && 'end' in value) note(value as Node)
  for (const child of Object.values(value)) visit(child, note)
}
