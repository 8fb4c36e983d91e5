// Lists the source files of the repository and reads their imports, for the checks in this folder.

import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Folder of the repository. */
export const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..')

const PARTS = ['services', 'web', 'docs', 'infra']
const NOT_OURS: ReadonlySet<string> = new Set(['node_modules', 'dist', '.portico', '.data', 'public', 'shots'])
const SOURCE = /\.(ts|tsx|js|jsx|mjs)$/
const TEST = /(\.(test|integration|browser|containers|long|engines|conformance)\.tsx?$)|(\/testing(\/|\.ts$))/

/** Paths of all source files, relative to the repository, with forward slashes. */
export function listSources(): string[] {
  return PARTS.flatMap((part) => walk(part)).sort()
}

function walk(folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`
    if (entry.isDirectory()) return NOT_OURS.has(entry.name) ? [] : walk(path)
    return SOURCE.test(entry.name) && !/\.d\.m?ts$/.test(entry.name) ? [path] : []
  })
}

/** Whether a file is a test or serves only tests. */
export function isTestFile(file: string): boolean {
  return TEST.test(file)
}

interface ImportFound {
  specifier: string
  /** TypeScript erases the import. */
  typeOnly: boolean
}

/** Every static, dynamic and re-exporting import of a source text. */
export function importsOf(source: string): ImportFound[] {
  const code = withoutComments(source)
  return PATTERNS.flatMap((pattern) =>
    [...code.matchAll(pattern)].flatMap((match) =>
      match[2] === undefined ? [] : { specifier: match[2], typeOnly: match[1] !== undefined },
    ),
  )
}

const PATTERNS = [
  /^\s*import\s+(type\s+)?(?:[\w*{}\s,$]+\s+from\s+)?['"]([^'"\n]+)['"]/gm,
  /^\s*export\s+(type\s+)?[\w*{}\s,$]+\s+from\s+['"]([^'"\n]+)['"]/gm,
  /\bimport(undefined)?\(\s*['"]([^'"\n]+)['"]\s*[,)]/g,
]

/** Folders of the workspaces by the name of their package, for example `@portico/shared`: `services/shared`. */
const WORKSPACES: ReadonlyMap<string, string> = new Map(
  globSync('{services,web}/*/package.json', { cwd: root }).map((file) => {
    const { name } = JSON.parse(readFileSync(join(root, file), 'utf8')) as { name: string }
    return [name, dirname(file)] as const
  }),
)

/** The folder of the workspace that holds a file; undefined outside of all workspaces. */
export function workspaceOf(file: string): string | undefined {
  return [...WORKSPACES.values()].find((folder) => file.startsWith(`${folder}/`))
}

/** The path of a file that is imported by the name of its workspace; undefined for other packages. */
export function workspacePath(specifier: string): string | undefined {
  const [name, folder] = [...WORKSPACES].find(([name]) => specifier.startsWith(`${name}/`)) ?? []
  if (name === undefined || folder === undefined || !name.startsWith('@portico/')) return undefined
  return folder + specifier.slice(name.length)
}

/** The name by which other workspaces import a file; undefined for a workspace that others import by its exports. */
export function workspaceName(file: string): string | undefined {
  const [name, folder] = [...WORKSPACES].find(([, folder]) => file.startsWith(`${folder}/`)) ?? []
  return name?.startsWith('@portico/') && folder !== undefined ? name + file.slice(folder.length) : undefined
}

/** The source file that an import leads to; undefined for packages and for what is not a source. */
export function targetOf(file: string, specifier: string): string | undefined {
  const plain = specifier.split('?')[0] ?? specifier
  const path = plain.startsWith('.') ? join(dirname(file), plain) : workspacePath(plain)
  if (path === undefined) return undefined
  return [path, `${path}.ts`, `${path}.tsx`].find((name) => SOURCE.test(name) && existsSync(join(root, name)))
}

/** Removes comments behind spaces, and template strings, which contain the sources of small sites in tests. */
function withoutComments(source: string): string {
  return source
    .replace(/(^|\s)\/\/.*$/gm, '')
    .replace(/^\s*\/\*[\s\S]*?\*\//gm, '')
    .replace(/`(?:\\.|[^`\\])*`/g, '``')
}
