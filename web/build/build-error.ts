// Errors that the author of an app folder must fix. Their messages name the file, the value and the rule; where it helps
// also the line and a section of the documentation. Bundlers and processes pass on only the message, so that the message
// carries them: `pages/a.tsx:3:17: the rule; see docs/page-data.md#for-each-request`.

import { RouteConflictError } from '@portico/shared/wire/routing/route-conflicts.ts'

/** Faults of the author, a line each; the message is printed without a stack. */
export class BuildError extends Error {
  override name = 'BuildError'
  readonly faults: readonly string[]

  constructor(faults: string | readonly string[], options?: ErrorOptions) {
    const list = typeof faults === 'string' ? [faults] : faults
    super(list.join('\n'), options)
    this.faults = list
  }
}

/** Sections of the documentation that explain a rule: page and id of the heading. A test finds each in docs/. */
export const DOCS = {
  page: 'write-a-page#files-and-paths',
  dataFunctions: 'page-data#one-data-function-per-page',
  actionModules: 'actions#a-module-of-actions',
  redirects: 'configuration#portico-config-ts',
  middleware: 'middleware#the-file',
  replacements: 'coming-from-next#another-name',
  differences: 'next-differences#not-what-you-expect',
  refusals: 'next-differences#what-the-build-refuses',
  mdx: 'with-other-libraries#mdx',
  csp: 'content-security-policy#add-sources',
  publicEnv: 'environment#values-for-the-browser',
  codeEnv: 'next-environment#one-build-for-every-environment',
  serverCode: 'server-and-browser-code#server-code-and-browser-code',
  env: 'environment#the-environment',
  sourceMaps: 'source-maps#source-maps',
  reactPackages: 'server-and-browser-code#packages-that-use-react',
} as const
export type DocsSection = keyof typeof DOCS

interface AuthorFault {
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
  return `; see ${docsFile(DOCS[section])}`
}

/** The file of a section, from the root of the repository: `page#heading` is in `docs/page.md#heading`. */
export function docsFile(section: string): string {
  const [page, heading] = section.split('#')
  return `docs/${page}.md${heading === undefined ? '' : `#${heading}`}`
}

/** Both count from 1. */
export function lineAndColumn(code: string, offset: number): string {
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

/** Receives a fault of the author: a command either ends with the first one or collects all. */
export type RefuseFault = (fault: Error) => void

/** Ends with the first fault. */
export function throwFault(fault: Error): never {
  throw fault
}

/** Collects faults. `end` throws them: one as it is, several as one error with a line for each. */
export function collectFaults(): { refuse: RefuseFault; end: () => void } {
  const faults: Error[] = []
  return {
    refuse: (fault) => void faults.push(fault),
    end() {
      const [first, ...more] = faults
      if (first) throw more.length === 0 ? first : new BuildError([...new Set(faults.flatMap(textsOf))])
    },
  }
}

/** The texts of an author's error: a config or a set of imports may have several faults. */
export function textsOf(error: Error): readonly string[] {
  return error instanceof BuildError ? error.faults : [error.message]
}

/** Runs a check; its fault, if it throws one, is passed on. Other errors are thrown. */
export function attempt<T>(refuse: RefuseFault, check: () => T): T | undefined {
  try {
    return check()
  } catch (error) {
    if (!isAuthorError(error)) throw error
    refuse(error)
    return undefined
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
