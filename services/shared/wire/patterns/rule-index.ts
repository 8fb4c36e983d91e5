// Rules of portico.config.ts for some paths (R7), indexed so that a request is compared only with the rules that can fit:
// those of its whole path, and those whose first segment can fit.

import { type Locales, prefixed, splitLocale } from '../locales/locales.ts'
import { type ComparablePath, comparablePath } from './comparable-path.ts'
import {
  type Conditions,
  compileConditions,
  type HasFacts,
  meets,
  type StoredCondition,
  wholeName,
} from './conditions.ts'
import { type CompiledPattern, compilePattern, matchComparable, type PatternParams } from './path-patterns.ts'

export interface SourceRule {
  source: string
  has?: StoredCondition[]
  missing?: StoredCondition[]
  basePath?: false
  locale?: false
}

export interface RuleMatch<T> {
  rule: T
  /** For the destination: of the path, of named groups, and of whole values of conditions. */
  params: PatternParams
  /**
   * Those that a rewrite may add to the query. SECURITY: without whole values of conditions, such as the cookie of a
   * session, which no rule names.
   */
  named: PatternParams
  order: number
  /** In a site with locales: that of the path, for a rule that is one of each locale. */
  locale?: string
}

interface RuleIndex<T> {
  isEmpty: boolean
  /**
   * All rules that fit, in the order of the configuration, from a number on. `path` is raw and below basePath, undefined
   * outside of it; `whole` has basePath and is compared with rules with `basePath: false`.
   */
  matches(path: string | undefined, whole: string, facts: HasFacts, from?: number): Iterable<RuleMatch<T>>
}

/** The names that a rule's pattern and conditions define for its destination. Throws as compilePattern does. */
export function namesOf(rule: SourceRule): Set<string> {
  const { names } = compilePattern(rule.source).program
  const conditions = compileConditions(rule)?.has ?? []
  const bound = conditions.flatMap((each) => [wholeName(each), ...(each.program?.names ?? [])])
  return new Set([...names, ...bound].filter((name) => name !== ''))
}

/** Compiles the rules once. `isExact`: letters of another case are other letters. */
export function createRuleIndex<T extends SourceRule>(
  rules: readonly T[],
  i18n?: Locales,
  isExact = false,
): RuleIndex<T> {
  if (!i18n)
    return createPlainIndex(
      rules.map((rule, order) => ({ rule, order })),
      isExact,
    )
  const listed = rules.map((rule, order) => ({ rule, order }))
  // Rules of each locale are compared with the path without its prefix, others with a path that always has one.
  const ofEach = createPlainIndex(
    listed.filter(({ rule }) => rule.locale !== false),
    isExact,
  )
  const ofOne = createPlainIndex(
    listed.filter(({ rule }) => rule.locale === false),
    isExact,
  )
  return {
    isEmpty: rules.length === 0,
    matches(path, whole, facts, from = 0) {
      const at = path === undefined ? undefined : splitLocale(i18n, path)
      const outside = splitLocale(i18n, whole)
      const localeOf = ({ basePath }: T) => (basePath === false ? outside : at)?.locale ?? i18n.defaultLocale
      const found = withLocale(ofEach.matches(at?.pathname, outside.pathname, facts, from), localeOf)
      if (ofOne.isEmpty) return found
      const withPrefix = at && prefixed(at.locale, at.pathname)
      const others = ofOne.matches(withPrefix, prefixed(outside.locale, outside.pathname), facts, from)
      return [...found, ...others].sort(byOrder)
    },
  }
}

/** Compares no rule before its match is read: a condition that is compared makes a response one of its client. */
function* withLocale<T>(matches: Iterable<RuleMatch<T>>, localeOf: (rule: T) => string): Generator<RuleMatch<T>> {
  for (const match of matches) yield { ...match, locale: localeOf(match.rule) }
}

function createPlainIndex<T extends SourceRule>(
  rules: readonly { rule: T; order: number }[],
  isExact: boolean,
): RuleIndex<T> {
  const prepared = rules.map(({ rule, order }) => ({
    rule,
    pattern: compilePattern(rule.source, isExact),
    conditions: compileConditions(rule),
    order,
  }))
  const below = indexOf(
    prepared.filter(({ rule }) => rule.basePath !== false),
    isExact,
  )
  const outside = prepared.filter(({ rule }) => rule.basePath === false)
  const isEmpty = rules.length === 0
  if (outside.length === 0)
    return { isEmpty, matches: (path, _whole, facts, from = 0) => (path === undefined ? [] : below(path, facts, from)) }
  const whole = indexOf(outside, isExact)
  return {
    isEmpty,
    matches: (path, fullPath, facts, from = 0) =>
      [...(path === undefined ? [] : below(path, facts, from)), ...whole(fullPath, facts, from)].sort(byOrder),
  }
}

interface Prepared<T> {
  rule: T
  pattern: CompiledPattern
  conditions: Conditions | undefined
  order: number
}

type Find<T> = (path: string, facts: HasFacts, from: number) => IterableIterator<RuleMatch<T>>

function indexOf<T>(rules: readonly Prepared<T>[], isExact: boolean): Find<T> {
  const byPath = new Map<string, Prepared<T>[]>()
  const byFirst = new Map<string, Prepared<T>[]>()
  const anywhere: Prepared<T>[] = []
  for (const prepared of rules) {
    const { text, first } = prepared.pattern
    if (text !== undefined) add(byPath, text, prepared)
    else if (first !== undefined) add(byFirst, first, prepared)
    else anywhere.push(prepared)
  }
  // Rules that fit more paths are merged into each list, so that order is kept.
  for (const [first, list] of byFirst) byFirst.set(first, [...list, ...anywhere].sort(byOrder))
  for (const [path, list] of byPath)
    byPath.set(path, [...list, ...(byFirst.get(firstSegment(path)) ?? anywhere)].sort(byOrder))
  return function* matches(path, facts, from) {
    const compared = comparablePath(path, isExact)
    const { text } = compared
    for (const prepared of byPath.get(text) ?? byFirst.get(firstSegment(text)) ?? anywhere) {
      const match = prepared.order < from ? undefined : matchRule(prepared, compared, facts)
      if (match) yield match
    }
  }
}

function matchRule<T>(
  { rule, pattern, conditions, order }: Prepared<T>,
  path: ComparablePath,
  facts: HasFacts,
): RuleMatch<T> | undefined {
  const named = matchComparable(pattern, path)
  if (!named) return undefined
  if (!conditions) return { rule, params: named, named, order }
  const wholes = Object.create(null) as PatternParams
  if (!meets(conditions, facts, named, wholes)) return undefined
  return { rule, params: Object.assign(Object.create(null), named, wholes) as PatternParams, named, order }
}

function add<T>(map: Map<string, T[]>, key: string, value: T): void {
  const list = map.get(key)
  if (list) list.push(value)
  else map.set(key, [value])
}

function byOrder(left: { order: number }, right: { order: number }): number {
  return left.order - right.order
}

/** The first segment of a comparable path; empty for the root. */
function firstSegment(text: string): string {
  const end = text.indexOf('/', 1)
  return text.slice(1, end < 0 ? undefined : end)
}
