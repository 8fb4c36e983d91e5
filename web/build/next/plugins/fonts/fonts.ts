// Replaces the calls of `next/font` by the names of styles (X1). Files of the site become font faces. Fonts of Google are
// never fetched: an installed package of Fontsource has the files, and without one the font has a stack of fallbacks.

import { createHash } from 'node:crypto'
import { existsSync, globSync } from 'node:fs'
import { dirname, join } from 'node:path'
import MagicString from 'magic-string'
import type { Plugin } from 'vite'
import { authorError } from '../../../build-error.ts'
import type { BundleSources } from '../../../bundle-sources/bundle-sources.ts'
import { findInstalled } from '../../../package-json.ts'
import {
  appRelative,
  childOf,
  childrenOf,
  findNode,
  freeNames,
  isScript,
  literalValue,
  type Node,
  nameAt,
  parseModule,
  withoutQuery,
} from '../../../source/source.ts'
import type { NextPlugin } from '../next-plugin.ts'
import { type FontMetrics, measureFont } from './fallback-fonts.ts'
import { type FontOptions, type FontStyles, fallbackSource, filesOf, googleFont, localFont } from './font-styles.ts'

const GOOGLE = 'next/font/google'
const LOCAL = 'next/font/local'
/** Names of the stylesheets, which are next to the module so that the paths of files are relative to it. */
const SHEET = /\/portico-font-[0-9a-f]+\.css$/

export const fonts: NextPlugin = {
  plugins: (appDir, sources) => [replacedFonts(appDir, sources)],
}

function replacedFonts(appDir: string, sources: () => BundleSources): Plugin {
  const sheets = new Map<string, string>()
  return {
    name: 'portico:next-fonts',
    enforce: 'pre',
    resolveId(id) {
      const [path = '', query] = id.split('?')
      if (!SHEET.test(path)) return undefined
      // Under development the address of the sheet is below the app folder.
      const found = [path, join(appDir, path)].find((each) => sheets.has(each))
      return found === undefined || query === undefined ? found : `${found}?${query}`
    },
    load: (id) => sheets.get(withoutQuery(id)),
    transform(code, id) {
      const path = withoutQuery(id)
      if (!sources().next.on || !code.includes('next/font/') || !isScript(path)) return undefined
      return replaceFonts(code, path, {
        appDir,
        addSheet: (name, css) => void sheets.set(name, css),
        note: (line) => void sources().notes.add(line),
        preload: (file) => void sources().fonts.add(file),
      })
    },
  }
}

interface FontTargets {
  appDir: string
  addSheet: (id: string, css: string) => void
  note: (line: string) => void
  /** Called with each file that documents name in their head. */
  preload: (file: string) => void
}

/** The module with styles in place of its fonts; undefined for a module without fonts. */
export async function replaceFonts(code: string, path: string, targets: FontTargets) {
  const body = parseModule(code, path)
  const fonts = body.flatMap(importedFonts)
  if (fonts.length === 0) return undefined
  const text = new MagicString(code)
  const file = appRelative(targets.appDir, path)
  for (const font of fonts)
    for (const call of callsOf(body, font.local)) {
      const styles = await stylesOf(font, call, { code, file, path, targets })
      const sheet = join(dirname(path), `portico-font-${styles.id}.css`)
      targets.addSheet(sheet, styles.css)
      const lines = [...styles.imports, sheet].map((source) => `import ${JSON.stringify(source)}\n`)
      text.prepend(lines.join(''))
      text.update(call.start, call.end, JSON.stringify(styles.value))
    }
  for (const { statement } of fonts) text.remove(statement.start, statement.end)
  const replaced = text.toString()
  refuseUses(replaced, fonts, { code, file })
  return { code: replaced, map: text.generateMap({ hires: 'boundary' }) }
}

/** Without its import, a font that is left would be an unknown name when the page is rendered. */
function refuseUses(replaced: string, fonts: readonly ImportedFont[], { code, file }: Pick<FontCall, 'code' | 'file'>) {
  const used = new Set(parseModule(replaced, file).flatMap((statement) => [...freeNames(statement)]))
  const left = fonts.find(({ local }) => used.has(local))
  if (!left) return
  const rule = `${left.local} of ${left.module} is used without a call; import each font by its name, and call it`
  throw authorError({ file, at: { code, offset: left.start }, rule })
}

interface ImportedFont {
  statement: Node
  /** Where the name is imported. */
  start: number
  module: string
  /** The name of the function in the module of the site. */
  local: string
  /** The name that the module exports: `Roboto_Mono`. */
  imported: string
}

function importedFonts(statement: Node): ImportedFont[] {
  const module = nameAt(statement, 'source')?.replace(/\.js$/, '')
  if (statement.type !== 'ImportDeclaration' || (module !== GOOGLE && module !== LOCAL)) return []
  return childrenOf(statement, 'specifiers').map((specifier) => ({
    statement,
    start: specifier.start,
    module,
    local: nameAt(specifier, 'local') ?? '',
    imported: nameAt(specifier, 'imported') ?? 'default',
  }))
}

function callsOf(body: readonly Node[], name: string): Node[] {
  const calls: Node[] = []
  for (const statement of body)
    findNode(statement, (node) => {
      if (node.type === 'CallExpression' && nameAt(node, 'callee') === name) calls.push(node)
      return false
    })
  return calls
}

interface FontCall {
  code: string
  file: string
  path: string
  targets: FontTargets
}

async function stylesOf(
  font: ImportedFont,
  call: Node,
  { code, file, path, targets }: FontCall,
): Promise<FontStyles & { id: string }> {
  const refuse = (rule: string) => authorError({ file, at: { code, offset: call.start }, rule })
  const argument = childOf(call, 'arguments')
  const given = argument === undefined ? {} : literalValue(argument)
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    throw refuse(`${font.local}(…) of ${font.module} must have one object literal, without variables`)
  // The cast: the functions below read each member by its type.
  const options = given as FontOptions
  const id = createHash('sha256')
    .update(`${file} ${call.start} ${JSON.stringify(given)}`)
    .digest('hex')
    .slice(0, 12)
  if (font.module === LOCAL) {
    const files = filesOf(options).map((each) => each.path)
    const missing = files.find((each) => !existsSync(join(dirname(path), each)))
    if (missing !== undefined) throw refuse(`src="${missing}": there is no such file`)
    if (options.preload !== false) for (const each of files) targets.preload(join(dirname(path), each))
    return { id, ...localFont(options, id, await measure(options, { file, path, targets })) }
  }
  const family = font.imported.replaceAll('_', ' ')
  const installed = fontsource(family, dirname(path))
  if (!installed)
    targets.note(
      `${file}: the font "${family}" of ${GOOGLE} is not fetched; the text has fallback fonts. Install @fontsource-variable/${kebab(family)} or @fontsource/${kebab(family)}, or use ${LOCAL}`,
    )
  const files = installed ? installedFiles(options, installed.folder) : []
  if (options.preload !== false) for (const each of files) targets.preload(each)
  const [first] = installed ? installedFiles({ subsets: ['latin'] }, installed.folder) : []
  const metrics = first === undefined ? undefined : await measureFont(first)
  return { id, ...googleFont(options, id, family, installed, metrics) }
}

/** The metrics that the fallback font of local files has. */
async function measure(
  options: FontOptions,
  { file, path, targets }: Omit<FontCall, 'code'>,
): Promise<FontMetrics | undefined> {
  const source = fallbackSource(options)
  if (source === undefined || options.adjustFontFallback === false) return undefined
  const metrics = await measureFont(join(dirname(path), source))
  if (!metrics) targets.note(`${file}: src="${source}" of ${LOCAL} cannot be measured; no fallback font has its size`)
  return metrics
}

/** The upright files of a package of Fontsource with the letters of the subsets and the weights, which its styles may use. */
function installedFiles({ subsets = [], weight }: FontOptions, folder: string): string[] {
  const weights = ['wght', ...[weight ?? '400'].flat()]
  const names = subsets.flatMap((subset) => weights.map((each) => `*-${subset}-${each}-normal.woff2`))
  return names.flatMap((name) => globSync(`files/${name}`, { cwd: folder })).map((name) => join(folder, name))
}

/** The installed package of Fontsource with the font, the variable one first. */
function fontsource(family: string, from: string): { name: string; isVariable: boolean; folder: string } | undefined {
  for (const isVariable of [true, false]) {
    const name = `@fontsource${isVariable ? '-variable' : ''}/${kebab(family)}`
    const folder = findInstalled(name, from)
    if (folder !== undefined) return { name, isVariable, folder }
  }
  return undefined
}

function kebab(family: string): string {
  return family.toLowerCase().replaceAll(' ', '-')
}
