// Maps `turbopack` of next.config.*: other modules for imports, and the loader of Tailwind for stylesheets.

import { isRecord } from '@portico/shared/wire/json/json-value.ts'
import { notDataIn } from '../run/plain-config.ts'
import { type Mapping, mustBe } from './mapping.ts'
import type { CssLoader } from './next-settings.ts'

export function mapTurbopack(field: string, value: unknown, mapping: Mapping): void {
  const { report } = mapping
  if (!isRecord(value)) return void report.refused.push(mustBe(field, value, 'an object'))
  for (const [name, member] of Object.entries(value)) {
    if (member === undefined || member === null) continue
    const path = `${field}.${name}`
    if (name === 'rules') mapRules(path, member, mapping)
    else if (name === 'loaders') refuseLoaders(path, mapping)
    else if (name === 'resolveExtensions') mapExtensions(path, member, mapping)
    else if (name !== 'resolveAlias') report.ignored.push({ field: path, note: 'Portico bundles with Vite' })
    else if (isRecord(member)) mapAliases(path, member, mapping)
    else report.refused.push(mustBe(path, member, 'an object'))
  }
}

function mapAliases(field: string, aliases: Record<string, unknown>, { settings, report }: Mapping): void {
  const mapped: Record<string, string> = {}
  for (const [name, target] of Object.entries(aliases)) {
    const path = `${field}['${name}']`
    if (typeof target !== 'string' || starsIn(name) > 1 || starsIn(target) > starsIn(name))
      report.refused.push(mustBe(path, target, 'one text, with one star where the name has one'))
    else if (name === '/*' && target === './*') report.ignored.push({ field: path, note: 'is how every build is' })
    else if (name.startsWith('/')) report.refused.push({ field: path, ...ROOTED })
    else mapped[name] = target
  }
  Object.assign(settings.aliases, mapped)
  const names = Object.keys(mapped)
  if (names.length > 0) report.mapped.push({ field, note: names.join(', ') })
}

const starsIn = (text: string) => text.split('*').length - 1

const ROOTED = {
  rule: 'names a path that begins with /, which is one of the folder of the site',
  remedy: 'write the path of the file in the import',
}

/** The endings that imports may leave out, in their order. */
function mapExtensions(field: string, value: unknown, { settings, report }: Mapping): void {
  const isEnding = (item: unknown): item is string => typeof item === 'string' && /^(\.[\w-]+)+$/.test(item)
  if (!Array.isArray(value) || !value.every(isEnding))
    return void report.refused.push(mustBe(field, value, 'a list of endings with a dot'))
  settings.resolveExtensions = value
  report.mapped.push({ field, note: value.join(', ') })
}

function mapRules(field: string, rules: unknown, mapping: Mapping): void {
  if (!isRecord(rules)) return void refuseLoaders(field, mapping)
  const { settings, report } = mapping
  for (const [glob, rule] of Object.entries(rules)) {
    const path = `${field}['${glob}']`
    const loader = CSS_FILES.test(glob) ? cssLoaderOf(rule) : undefined
    if (!loader) refuseLoaders(path, mapping)
    else if (settings.cssLoader) report.refused.push({ field: path, ...SECOND })
    else {
      settings.cssLoader = loader
      report.mapped.push({ field: path, note: `${loader.name} compiles stylesheets` })
    }
  }
}

function refuseLoaders(field: string, { report }: Mapping): void {
  report.refused.push({
    field,
    rule: 'loaders of webpack do not run, except for the one of Tailwind for *.css',
    remedy: 'write Vite plugins to plugins of portico.config.ts with next: true, and remove the field',
  })
}

const SECOND = { rule: 'is a second rule for stylesheets', remedy: 'keep one of them' }

/** Globs for all stylesheets. */
const CSS_FILES = /^(\.\/)?(\*\*\/)?\*\.css$/
/** Loaders that need few members of webpack's context, which css-loader.ts has. */
const CSS_LOADERS = /^@tailwindcss\/(turbopack|webpack)$/

/** The loader of a rule that has one which Portico runs, and says nothing else. */
function cssLoaderOf(rule: unknown): CssLoader | undefined {
  const { loaders, as, ...rest } = Array.isArray(rule) ? { loaders: rule } : isRecord(rule) ? rule : {}
  const hasMore = Object.values(rest).some((value) => value !== undefined)
  if (hasMore || !Array.isArray(loaders) || loaders.length !== 1) return undefined
  if (as !== undefined && !CSS_FILES.test(String(as))) return undefined
  const [given]: unknown[] = loaders
  const { loader, options = {}, ...others } = isRecord(given) ? given : { loader: given }
  if (typeof loader !== 'string' || !CSS_LOADERS.test(loader) || Object.keys(others).length > 0) return undefined
  return isRecord(options) && notDataIn(options, '').length === 0 ? { name: loader, options } : undefined
}
