// Maps `turbopack` of next.config.*: other modules for imports; map-loader-rules.ts has its loaders.

import { isRecord } from '@portico/shared/wire/json/json-value.ts'
import { mapLoaderRules } from './map-loader-rules.ts'
import { type Mapping, mustBe } from './mapping.ts'

export function mapTurbopack(field: string, value: unknown, mapping: Mapping): void {
  const { report } = mapping
  if (!isRecord(value)) return void report.refused.push(mustBe(field, value, 'an object'))
  for (const [name, member] of Object.entries(value)) {
    if (member === undefined || member === null) continue
    const path = `${field}.${name}`
    if (name === 'rules') mapLoaderRules(path, member, mapping)
    else if (name === 'loaders') report.refused.push({ field: path, ...OLD_LOADERS })
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

const OLD_LOADERS = { rule: 'is not a field of Next.js 16', remedy: 'write the loaders to turbopack.rules' }
