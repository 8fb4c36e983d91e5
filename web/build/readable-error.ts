// Errors of the tools as errors for authors: file, line and frame, without stacks and absolute paths. Each tool reports a
// failed import in its own words, and most with a position in generated code: the position is read from the author's source.

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { explainNativeFault } from '@portico/shared/wire/errors/native-fault.ts'
import { codeFrame, isStackLine } from '@portico/shared/wire/errors/stack-frames.ts'
import { isRecord } from '@portico/shared/wire/json/json-value.ts'
import { didYouMean, nearestName } from '@portico/shared/wire/nearest-name.ts'
import { authorError, BuildError, parseFault } from './build-error.ts'
import { isRuntime, RUNTIME_FILES } from './framework-files.ts'
import { findInstalled, parseJsonObject } from './package-json.ts'
import {
  appRelative,
  childOf,
  childrenOf,
  exportedNames,
  isScript,
  type Node,
  nameAt,
  parseModule,
} from './source/source.ts'

/** Names in a message. */
const MOST_SHOWN = 8

interface FailedImport {
  /** The importing module: absolute, or relative to the app folder or to the current folder. */
  importer: string
  /** As the author or the tool names the imported module. */
  module: string
  /** The name that the module does not export. */
  name?: string
  /** Why there is no such module here. */
  rule?: string
}

/** The texts of the bundler, of Vite for browsers and for servers, of its module runner and of ours. */
const REPORTS: readonly [RegExp, (groups: Record<string, string>) => FailedImport][] = [
  [/Could not resolve '(?<module>[^'\n]+)' in (?<importer>[^\n]+)/g, importOf],
  [/failed to resolve import "(?<module>[^"\n]+)" from "(?<importer>[^"\n]+)"/gi, importOf],
  [
    /Failed to load url (?<module>\S+) \(resolved id: [^\n]*?\) in (?<importer>[^\n]+?)\. Does the file exist/g,
    importOf,
  ],
  [/Cannot find (?:module|package) '(?<module>[^'\n]+)' imported from '?(?<importer>\/[^'\n]+)/g, importOf],
  [
    /"(?<name>[^"\n]+)" is not exported by "(?<module>[^"\n]+)"\.[\s\S]*?╭─\[ ?(?<importer>[^\]\n]+?):\d+:\d+ ?\]/g,
    importOf,
  ],
  [/"(?<name>[^"\n]+)" is not exported by "(?<module>[^"\n]+)", imported by "(?<importer>[^"\n]+)"/g, importOf],
]

function importOf({ importer = '', module = '', name }: Record<string, string>): FailedImport {
  const [, peer, from = ''] = OPTIONAL_PEER.exec(module) ?? []
  if (peer !== undefined) return { importer, module: peer, rule: missingPeer(peer, from) }
  return { importer, module, ...(name !== undefined && { name }) }
}

/** The empty module that Vite has in place of an optional peer that is not installed: its specifier, and the package. */
const OPTIONAL_PEER = /^__vite-optional-peer-dep:([^:]+):([^:]+)/

function missingPeer(specifier: string, from: string): string {
  return replacementOf(specifier) === undefined
    ? `is not installed: this part of ${from} needs it; install it, or import another part of ${from}`
    : `is a module of Next.js, which only compatibility mode has: import another part of ${from}`
}

/** The failed imports in the text of an error, each as an error at the line of its import. */
export function readImportFaults(text: string, appDir: string): BuildError[] {
  const failed = REPORTS.flatMap(([pattern, read]) =>
    [...text.matchAll(pattern)].map(({ groups = {} }) => read(groups)),
  )
  return failed.map((each) => describe(each, appDir, each))
}

function describe(
  { importer, module, name }: FailedImport,
  appDir: string,
  { remedy, rule: given }: { remedy?: string | undefined; rule?: string | undefined } = {},
): BuildError {
  const path = fileOf(importer, appDir)
  const code = existsSync(path) ? readFileSync(path, 'utf8') : ''
  const found = findImport(code, path, module, name)
  const specifier = found?.specifier ?? module
  const at = found && { code, offset: found.offset }
  const file = appRelative(appDir, path)
  if (given !== undefined) return authorError({ file, at, rule: `"${specifier}" ${given}` })
  // A module of Next.js whose name is missing is one that Portico has.
  const replacement = remedy ?? (name === undefined ? replacementOf(specifier) : undefined)
  if (replacement !== undefined)
    return authorError({
      file,
      at,
      rule: `"${specifier}" is not part of Portico; use ${replacement}`,
      docs: 'replacements',
    })
  const loaders = /^-?!+(?:[^!]+!)+(?<file>[^!]+)$/.exec(specifier)
  if (loaders?.groups)
    return authorError({
      file,
      at,
      rule: `"${specifier}" names loaders of webpack, which do not run in an import; import ${loaders.groups.file}?raw for the text of the file, or ?url for its address`,
    })
  const rule =
    name === undefined
      ? `cannot find "${specifier}"${foundInstead(specifier, path)}`
      : `"${specifier}" does not export "${name}"${exportsOf(fileOf(module, appDir), specifier, name)}`
  return authorError({ file, at, rule })
}

/**
 * The error of an import that no module of the site may have, at the line of the import: with `name` that of a name which
 * the module does not export, with `remedy` what the author uses instead, with `rule` why no module has it here.
 */
export function refusedImport(
  importer: string,
  module: string,
  appDir: string,
  { name, ...reason }: { name?: string | undefined; remedy?: string | undefined; rule?: string | undefined } = {},
): BuildError {
  return describe({ importer, module, ...(name !== undefined && { name }) }, appDir, reason)
}

/**
 * The error of an import of an installed package that has nothing for it in the `exports` of its package.json, at the line of
 * the import; undefined where that is not the fault.
 */
export function exportsFault(importer: string, specifier: string, appDir: string): BuildError | undefined {
  const [, name = '', rest = ''] = /^((?:@[^/]+\/)?[^/]+)(.*)$/.exec(specifier) ?? []
  const folder = /^[./\0]/.test(specifier) ? undefined : findInstalled(name, dirname(importer))
  if (folder === undefined) return undefined
  const file = join(folder, 'package.json')
  const { exports } = parseJsonObject(readFileSync(file, 'utf8'), file)
  const isMap = isRecord(exports) && Object.keys(exports).some((key) => key.startsWith('.'))
  const entries = isMap ? exports : { '.': exports }
  const path = `.${rest}`
  const entry = entries[path]
  const isOfComponents =
    isRecord(entry) && 'react-server' in entry && Object.keys(entry).every((key) => /^(react-server|types)$/.test(key))
  if (isOfComponents)
    return refusedImport(importer, specifier, appDir, {
      rule: 'is for React Server Components alone ("react-server" in its exports), which the Pages Router does not have: use another package',
    })
  const known = Object.keys(entries)
  // What a pattern names may be missing as a file.
  if (!isMap || path in entries || known.some((key) => key.includes('*'))) return undefined
  const shown = known.slice(0, MOST_SHOWN).map((key) => name + key.slice(1))
  const rule = `is not in the exports of the package; there are ${shown.join(', ')}${known.length > shown.length ? ' and others' : ''}`
  return refusedImport(importer, specifier, appDir, { rule })
}

/** Modules of Next.js, by the beginning of their names, and what replaces them: the table of docs/coming-from-next.md. */
const REPLACEMENTS: readonly [string, string][] = [
  ['next/link', 'Link of portico'],
  ['next/router', 'useRouter, usePathname, useSearchParams and useParams of portico'],
  [
    'next/navigation',
    'useRouter, usePathname, useSearchParams, useParams, redirect, notFound, unauthorized and forbidden of portico',
  ],
  ['next/image', 'Image of portico'],
  ['next/head', '<title>, <meta> and <link> anywhere in a page'],
  ['next/dynamic', 'dynamic of portico'],
  ['next/document', 'Html, Head, Main and Scripts of portico'],
  ['next/script', '<script src async> of React'],
  ['next/font', 'a package with font files'],
  ['next/cache', 'revalidatePath and revalidateTag of portico/server'],
  ['next/headers', 'cookies and headers of portico/server'],
  ['next/server', 'after of portico/server'],
  ['next', 'portico, portico/server and portico/config'],
]

/** What replaces a module of Next.js; undefined for any other module. */
export function replacementOf(specifier: string): string | undefined {
  return REPLACEMENTS.find(([name]) => specifier === name || specifier.startsWith(`${name}/`))?.[1]
}

/** Tools name files relative to the app folder, with a slash before it, or relative to the current folder. */
function fileOf(name: string, appDir: string): string {
  const plain = name.split('?')[0] ?? name
  const inApp = join(appDir, plain)
  if (existsSync(inApp)) return inApp
  return isAbsolute(plain) ? plain : resolve(plain)
}

/** Offset of the name or of the specifier in the import of a module, and the specifier as the author wrote it. */
function findImport(code: string, path: string, module: string, name: string | undefined) {
  const imports = parseModule(code, path).filter((node) => childOf(node, 'source'))
  const specifierOf = (node: Node) => String(childOf(node, 'source')?.value)
  const nameIn = (node: Node) => childrenOf(node, 'specifiers').find((each) => importedName(each) === name)
  const isModule = (node: Node) => stem(specifierOf(node)) === stem(module)
  const statement =
    name === undefined
      ? (imports.find((node) => specifierOf(node) === module) ?? imports.find(isModule))
      : (imports.find((node) => isModule(node) && nameIn(node)) ?? imports.find(nameIn))
  if (statement) {
    const node = (name === undefined ? undefined : nameIn(statement)) ?? childOf(statement, 'source') ?? statement
    return { specifier: specifierOf(statement), offset: node.start }
  }
  // import() and require().
  const offset = code.search(new RegExp(`(['"\`])${RegExp.escape(module)}\\1`))
  return offset < 0 ? undefined : { specifier: module, offset }
}

function importedName(specifier: Node): string | undefined {
  if (specifier.type === 'ImportDefaultSpecifier') return 'default'
  return nameAt(specifier, specifier.type === 'ImportSpecifier' ? 'imported' : 'local')
}

/** The last part of a path without its ending: tools name the file that a specifier was resolved to. */
function stem(path: string): string {
  return basename(path).replace(/\.\w+$/, '')
}

/** What to do about a module that does not exist: the file that was probably meant, or the rule for packages. */
function foundInstead(specifier: string, importer: string): string {
  if (!/^[./]/.test(specifier)) return '; a package must be in package.json and installed'
  const wanted = basename(specifier)
  const folder = join(dirname(importer), dirname(specifier))
  if (!specifier.startsWith('.') || !existsSync(folder)) return ''
  const files = new Map(readdirSync(folder).map((name) => [stem(name), name]))
  const nearest = nearestName(stem(wanted), files.keys())
  if (nearest === undefined) return ''
  // With or without an ending, as the author wrote it.
  const meant = wanted.includes('.') ? files.get(nearest) : nearest
  return `; did you mean "${specifier.slice(0, -wanted.length)}${meant}"?`
}

/** Modules of Portico that an author imports from, where a name may be in another one. */
const OWN_MODULES: ReadonlyMap<string, string> = new Map([
  ['portico', RUNTIME_FILES.index],
  ['portico/server', RUNTIME_FILES.server],
  ['portico/config', RUNTIME_FILES.config],
  ['portico/testing', RUNTIME_FILES.testing],
])

/**
 * What a module exports in the place of a name that it does not: the name that was probably meant, else all of few names of
 * a file of the author. A name of one module of Portico may be that of another one.
 */
function exportsOf(path: string, specifier: string, name: string): string {
  const own = OWN_MODULES.get(specifier)
  const names = namesOf(own ?? path)
  const nearest = didYouMean(name, names)
  if (nearest !== '') return nearest
  if (own === undefined)
    return names.length === 0 || names.length > MOST_NAMES ? '' : `; it exports ${names.join(', ')}`
  const other = OWN_MODULES.entries().find(([, file]) => namesOf(file).includes(name))?.[0]
  return other === undefined ? '' : `; "${other}" does`
}

/** Empty for a file of a package, for one without names, and for one with names of other files. */
function namesOf(path: string): string[] {
  if (!isScript(path) || !existsSync(path) || (path.includes('/node_modules/') && !isRuntime(path))) return []
  const body = parseModule(readFileSync(path, 'utf8'), path)
  const isOpen = body.some(({ type, exportKind }) => type === 'ExportAllDeclaration' && exportKind !== 'type')
  return isOpen ? [] : [...exportedNames(body)]
}

const MOST_NAMES = 12

/** Turns any error of a build step into a BuildError. */
export function readableError(error: unknown, appDir: string): BuildError {
  if (error instanceof BuildError) return error
  // The cast: a bundler's error has these members, any other value lacks them.
  const { message, id, loc, frame } = Object(error) as {
    message?: string
    id?: string
    loc?: { line?: number; column?: number }
    frame?: string
  }
  const where = id ? `${id}${loc?.line ? `:${loc.line}:${loc.column ?? 0}` : ''}\n` : ''
  const text = `${where}${message ?? String(error)}${frame ? `\n${frame}` : ''}`
  const plain = stripVTControlCharacters(text)
  // The bundler reports a BuildError of our plugins as one line of its text.
  const reported = /^BuildError: (.+)$/m.exec(plain)?.[1]
  const own =
    reported ?? failedImports(plain, appDir) ?? compilerOptionsFault(plain) ?? explainNativeFault(plain, process)
  const lines = (own ?? (process.stderr.isTTY ? text : plain)).split('\n').filter((line) => !isStackLine(line))
  // The bundler's frames name files relative to the current folder.
  const paths = [`${relative(process.cwd(), appDir)}/`, `${appDir}/`].filter((path) => path !== '/')
  const readable = paths.reduce((all, path) => all.replaceAll(path, ''), lines.join('\n'))
  return new BuildError(readable, { cause: error })
}

/** The fault of a tsconfig.json that the bundler cannot read, which it repeats with a stack of its native code. */
function compilerOptionsFault(text: string): string | undefined {
  const [, file, rule, line, column] =
    /Failed to load tsconfig "([^"]+)": .*?message: "(.+?) at line (\d+) column (\d+)"/.exec(text) ?? []
  return file && `${file}:${line}:${column}: ${rule}`
}

/** Replaces the bundler's text, whose positions are those of generated code. */
function failedImports(text: string, appDir: string): string | undefined {
  const faults = readImportFaults(text, appDir).map(({ message }) => message)
  return faults.length > 0 ? [...new Set(faults)].join('\n') : undefined
}

/** The message of an author's error, with the lines around its place. */
export function withFrame(message: string, appDir: string): string {
  return message
    .split('\n')
    .map((line) => {
      const { file, line: number } = parseFault(line)
      const path = file === undefined ? '' : join(appDir, file)
      if (number === undefined || !existsSync(path)) return line
      const rows = codeFrame(readFileSync(path, 'utf8'), number)
      const drawn = rows.map((row) => `${row.isFault ? '>' : ' '} ${String(row.line).padStart(4)} | ${row.text}`)
      return [line, ...drawn.map((row) => row.trimEnd())].join('\n')
    })
    .join('\n')
}
