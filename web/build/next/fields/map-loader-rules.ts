// Maps `turbopack.rules` of next.config.*: which loaders of webpack compile which files (X4).

import { isRecord } from '@portico/shared/wire/json/json-value.ts'
import type { LoaderCondition, LoaderPlace, LoaderResult, LoaderRule, WebpackLoader } from '../../mode.ts'
import { isNotData, notDataIn } from '../run/plain-config.ts'
import type { Mapping } from './mapping.ts'

const PLACES: readonly string[] = [
  'browser',
  'node',
  'edge-light',
  'foreign',
  'development',
  'production',
] satisfies LoaderPlace[]
const RESULTS: readonly string[] = ['.js', '.jsx', '.mjs', '.ts', '.tsx', '.json'] satisfies LoaderResult[]

export function mapLoaderRules(field: string, rules: unknown, { settings, report }: Mapping): void {
  const refuse = (path: string, rule: string) => {
    report.refused.push({ field: path, rule, remedy: 'correct or remove the rule' })
  }
  if (!isRecord(rules)) return void refuse(field, 'must be an object of globs')
  for (const [glob, given] of Object.entries(rules)) {
    const path = `${field}['${glob}']`
    for (const [at, one] of rulesOf(given).entries()) {
      const place = at === 0 ? path : `${path}[${at}]`
      const rule = readRule(place, glob, one)
      if (typeof rule === 'string') refuse(place, rule)
      else {
        settings.loaderRules.push(rule)
        report.mapped.push({ field: place, note: rule.loaders.map(({ name }) => name).join(', ') })
      }
    }
  }
}

/** A list has rules, or the loaders of one rule. */
function rulesOf(given: unknown): unknown[] {
  if (!Array.isArray(given)) return [given]
  const isRule = (item: unknown) => isRecord(item) && !('loader' in item)
  const rules = given.filter(isRule)
  const loaders = given.filter((item) => !isRule(item))
  return [...(loaders.length > 0 || rules.length === 0 ? [{ loaders }] : []), ...rules]
}

/** The rule that is broken, as a text. */
function readRule(field: string, glob: string, given: unknown): LoaderRule | string {
  if (!isRecord(given)) return 'must be a list of loaders or { loaders, as?, condition? }'
  const { loaders, as, condition, ...rest } = given
  const more = Object.keys(rest).find((name) => rest[name] !== undefined)
  if (more !== undefined) return `${more} is not supported; must be { loaders, as?, condition? }`
  if (!Array.isArray(loaders) || loaders.length === 0) return 'loaders must be a list of names or { loader, options? }'
  const mapped: WebpackLoader[] = []
  for (const loader of loaders) {
    const read = readLoader(loader)
    if (read === undefined)
      return 'loaders must be a list of names or { loader, options? }, whose options are plain data'
    mapped.push(read)
  }
  const result = readResult(glob, as)
  if (result === null) return `as must be *${RESULTS.join(', *')} or the ending of the files`
  const when = condition === undefined ? undefined : readCondition(condition)
  if (condition !== undefined && when === undefined)
    return `condition must be ${PLACES.join(', ')}, { all }, { any }, { not } or { path?, content? }`
  return { field, glob, loaders: mapped, ...(result && { as: result }), ...(when && { condition: when }) }
}

function readLoader(given: unknown): WebpackLoader | undefined {
  const { loader, options = {}, ...others } = isRecord(given) ? given : { loader: given }
  if (typeof loader !== 'string' || Object.keys(others).length > 0) return undefined
  return isRecord(options) && notDataIn(options, '').length === 0 ? { name: loader, options } : undefined
}

/** Undefined for the ending of the files themselves, null for one that is refused. */
function readResult(glob: string, as: unknown): LoaderResult | undefined | null {
  if (as === undefined) return undefined
  const ending = typeof as === 'string' && as.startsWith('*.') ? as.slice(1) : undefined
  if (ending === undefined) return null
  if (/\.css$/.test(ending)) return glob.endsWith(ending) ? undefined : null
  return RESULTS.includes(ending) ? (ending as LoaderResult) : null
}

function readCondition(given: unknown): LoaderCondition | undefined {
  if (typeof given === 'string')
    return PLACES.includes(given) ? { kind: 'place', name: given as LoaderPlace } : undefined
  if (!isRecord(given)) return undefined
  const [name, ...others] = Object.keys(given).filter((key) => given[key] !== undefined)
  if (others.length === 0 && (name === 'all' || name === 'any')) {
    const list = given[name]
    const conditions = Array.isArray(list) ? list.map(readCondition) : [undefined]
    const isComplete = (each: LoaderCondition | undefined) => each !== undefined
    return conditions.every(isComplete) ? { kind: name, conditions } : undefined
  }
  if (others.length === 0 && name === 'not') {
    const condition = readCondition(given.not)
    return condition && { kind: 'not', condition }
  }
  const { path, content, ...rest } = given
  const [pathPattern, contentPattern] = [readPattern(path), readPattern(content)]
  const isRead =
    Object.values(rest).every((value) => value === undefined) &&
    (path === undefined || typeof path === 'string' || pathPattern !== undefined) &&
    (content === undefined || contentPattern !== undefined)
  if (!isRead) return undefined
  const file = typeof path === 'string' ? path : pathPattern
  return { kind: 'file', ...(file !== undefined && { path: file }), ...(contentPattern && { content: contentPattern }) }
}

/** An expression, which the process that ran the config has sent as its text. */
function readPattern(value: unknown): RegExp | undefined {
  const text = isNotData(value) ? /^\/(.+)\/(\w*)$/s.exec(value.$notData) : null
  return text ? new RegExp(text[1]!, text[2]!.replace(/[gy]/g, '')) : undefined
}
