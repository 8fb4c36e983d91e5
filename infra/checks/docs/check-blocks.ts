// Checks every block of code of the documentation by its language. A language without a rule is a fault.

import { COMMANDS } from '@portico/stack/commands.ts'
import { preprocessCSS, resolveConfig } from 'vite'
import { parseDocument } from 'yaml'
import type { CodeBlock, Fault } from './code-blocks.ts'
import { moduleFaults } from './modules.ts'
import { composeServices, hasFile, knownVariables, npmScripts, readText } from './repository.ts'

const FROM = /^from=(.+)$/
const MODULES: ReadonlySet<string> = new Set(['ts', 'tsx', 'js', 'jsx'])

/** Rules by language; a rule returns what is wrong, and the line in the block. */
const LANGUAGES: Readonly<Record<string, (block: CodeBlock) => Found[] | Promise<Found[]>>> = {
  sh: shellFaults,
  bash: shellFaults,
  env: variableFaults,
  json: jsonFaults,
  yaml: yamlFaults,
  css: cssFaults,
  http: ({ text }) =>
    /^(HTTP\/1\.1 \d{3}|(GET|HEAD|POST) \/\S* HTTP\/1\.1|[\w-]+: \S)/.test(text) ? [] : ['is not HTTP'],
  mermaid: ({ text }) => (/^(flowchart|sequenceDiagram)\s/.test(text) ? [] : ['is not a known diagram']),
  // Output of programs, and trees of folders: nothing that a reader types.
  text: () => [],
}

/** A sentence, and the line within the block where it is not the first one. */
type Found = string | { line: number; rule: string }

/** All faults, page by page and line by line. */
export async function findFaults(blocks: readonly CodeBlock[]): Promise<Fault[]> {
  const faults: Fault[] = []
  const excerpts = blocks.filter(isExcerpt)
  const modules = blocks.filter((block) => MODULES.has(block.language) && !isExcerpt(block))
  for (const block of excerpts) faults.push(...located(block, excerptFaults(block)))
  for (const block of blocks) {
    if (isExcerpt(block) || MODULES.has(block.language)) continue
    const rule = Object.hasOwn(LANGUAGES, block.language) ? LANGUAGES[block.language] : undefined
    const found = rule ? await rule(block) : [`no rule checks the language "${block.language}"`]
    faults.push(...located(block, found))
  }
  if (modules.length > 0) faults.push(...(await moduleFaults(modules)))
  return faults.sort((left, right) => left.page.localeCompare(right.page) || left.line - right.line)
}

function located({ page, line }: CodeBlock, found: readonly Found[]): Fault[] {
  return found.map((fault) =>
    typeof fault === 'string' ? { page, line, rule: fault } : { page, line: line + fault.line, rule: fault.rule },
  )
}

function isExcerpt({ words }: CodeBlock): boolean {
  return words.some((word) => FROM.test(word))
}

/** `from=path`: the file contains these lines in this order, at any indentation. */
function excerptFaults({ words, text }: CodeBlock): Found[] {
  const file = words.map((word) => FROM.exec(word)?.[1]).find((path) => path !== undefined) ?? ''
  if (!hasFile(file)) return [`${file} does not exist`]
  const plain = (lines: string) =>
    lines
      .split('\n')
      .map((line) => line.trim())
      .join('\n')
      .trim()
  return `\n${plain(readText(file))}\n`.includes(`\n${plain(text)}\n`) ? [] : [`differs from ${file}`]
}

/** What the lines name: scripts of package.json, commands of portico, files of the repository. */
function shellFaults({ text }: CodeBlock): Found[] {
  return text.split('\n').flatMap((written, line) => {
    const unknown = (names: RegExp, isKnown: (name: string) => boolean, rule: (name: string) => string) =>
      [...written.matchAll(names)].flatMap(([, name = '']) => (isKnown(name) ? [] : [{ line, rule: rule(name) }]))
    return [
      ...unknown(
        /\bnpm run ([\w:-]+)/g,
        (name) => Object.hasOwn(npmScripts(), name),
        (name) => `package.json has no script "${name}"`,
      ),
      ...unknown(
        /\bnpx --no portico ([\w-]+)/g,
        (name) => Object.hasOwn(COMMANDS, name),
        (name) => `portico has no command "${name}"`,
      ),
      // SECURITY: where the package is not installed, npx without --no executes another author's of this name.
      ...(/\bnpx portico\b/.test(written) ? [{ line, rule: 'npx portico asks a registry: npx --no portico' }] : []),
      ...unknown(
        /(?<![\w./@:-])((?:docker|infra|services)\/[\w./-]*\w)/g,
        // The programs in the containers are compiled.
        (name) => hasFile(name) || hasFile(name.replace(/\.js$/, '.ts')),
        (name) => `${name} does not exist`,
      ),
    ]
  })
}

function variableFaults({ text }: CodeBlock): Found[] {
  const known = knownVariables()
  return text.split('\n').flatMap((written, line) => {
    if (written.trim() === '' || written.startsWith('#')) return []
    const name = /^([A-Z][A-Z0-9_]*)=/.exec(written)?.[1]
    if (name === undefined) return [{ line, rule: 'must be NAME=value' }]
    return known.has(name) ? [] : [{ line, rule: `${name} is neither a setting nor a variable of a compose file` }]
  })
}

/** Keys of the files that readers write, by name. */
const JSON_FILES: Readonly<Record<string, readonly string[]>> = {
  'tsconfig.json': ['extends', 'compilerOptions', 'include', 'exclude', 'files'],
  'package.json': ['name', 'version', 'private', 'type', 'scripts', 'dependencies', 'devDependencies', 'engines'],
}

function jsonFaults({ text, words: [name] }: CodeBlock): Found[] {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    return [(error as Error).message]
  }
  if (name === undefined) return []
  const keys = JSON_FILES[name]
  if (!keys) return [`no rule knows the keys of ${name}`]
  const unknown = Object.keys(Object(value)).filter((key) => !keys.includes(key))
  return unknown.map((key) => `${name} has no "${key}"`)
}

/** A compose file may contain services of the stack, and new services that have an image. */
function yamlFaults({ text, words: [name = ''] }: CodeBlock): Found[] {
  const document = parseDocument(text)
  if (document.errors.length > 0) return document.errors.map(({ message }) => message)
  if (!isComposeName(name)) return []
  const { services = {} } = document.toJS() as { services?: Record<string, Record<string, unknown>> }
  const known = composeServices()
  return Object.entries(services).flatMap(([service, body]) =>
    known.has(service) || 'image' in body || 'build' in body ? [] : [`no compose file has a service "${service}"`],
  )
}

/** Whether a YAML block is a compose file for use with docker-compose.yml. */
function isComposeName(name: string): boolean {
  return /^(docker-)?compose(\.[\w-]+)*\.ya?ml$/.test(name)
}

async function cssFaults({ text }: CodeBlock): Promise<Found[]> {
  const config = await resolveConfig({ configFile: false, css: { transformer: 'lightningcss' } }, 'build')
  try {
    await preprocessCSS(text, '/block.css', config)
    return []
  } catch (error) {
    return [(error as Error).message]
  }
}
