// Errors that the author of an app folder must fix. Their messages name the file, the value and the rule; where it helps
// also the line and a section of the documentation. Bundlers and processes pass on only the message, so that the message
// carries them: `pages/a.tsx:3:17: the rule; see docs/page-data.md#for-each-request`.

import { RouteConflictError } from '@portico/shared/wire/routing/route-conflicts.ts'

/** A fault of the author; the message is printed without a stack. */
export class BuildError extends Error {
  override name = 'BuildError'
}

/** Sections of the documentation that explain a rule: page and id of the heading. A test finds each in docs/. */
export const DOCS = {
  page: 'write-a-page#files-and-paths',
  dataFunctions: 'page-data#one-data-function-per-page',
  actionModules: 'actions#a-module-of-actions',
  redirects: 'configuration#portico-config-ts',
  replacements: 'coming-from-next#another-name',
} as const
export type DocsSection = keyof typeof DOCS

export interface AuthorFault {
  /** App-relative. */
  file: string
  /** The module, and the offset of the fault in it. */
  at?: { code: string; offset: number } | undefined
  rule: string
  docs?: DocsSection
}

/**
 * Makes the error of a rule that a file breaks.
 *
 * @example authorError({ file, at: { code, offset: node.start }, rule: '"export *" is not allowed', docs: 'actionModules' })
 */
export function authorError({ file, at, rule, docs }: AuthorFault): BuildError {
  return new BuildError(
    `${file}${at ? `:${lineAndColumn(at.code, at.offset)}` : ''}: ${rule}${docs ? seeDocs(docs) : ''}`,
  )
}

function seeDocs(section: DocsSection): string {
  const [page, heading] = DOCS[section].split('#')
  return `; see docs/${page}.md#${heading}`
}

function lineAndColumn(code: string, offset: number): string {
  const before = code.slice(0, offset).split('\n')
  return `${before.length}:${(before.at(-1) ?? '').length + 1}`
}

export interface ParsedFault {
  file?: string
  line?: number
  column?: number
  /** The message without place and link. */
  rule: string
  /** Page and heading, as in DOCS. */
  docs?: string
}

/** Reads the place and the section of the documentation in the message of an error; other messages have neither. */
export function parseFault(message: string): ParsedFault {
  const [, start, page, heading] = /^([\s\S]*); see docs\/([\w-]+)\.md#([\p{L}\p{N}-]+)$/u.exec(message) ?? []
  const text = start ?? message
  const [, file, line, column, rule] = /^([^\s:][^\n:]*):(\d+):(\d+): ([\s\S]+)$/.exec(text) ?? []
  return {
    ...(file !== undefined && { file, line: Number(line), column: Number(column) }),
    rule: rule ?? text,
    ...(page !== undefined && { docs: `${page}#${heading}` }),
  }
}

/** Whether the author must fix the error; every other error is a fault of the framework. */
export function isAuthorError(error: unknown): error is Error {
  return error instanceof BuildError || error instanceof RouteConflictError
}

/** The code of a Node error, such as `ENOENT`. */
export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}
