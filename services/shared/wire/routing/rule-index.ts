// Rules of portico.config.ts for some paths (R7), indexed so that a request is compared only with the rules whose first
// segment can fit.

import {
  type CompiledPattern,
  compilePattern,
  type HasCondition,
  type HasFacts,
  hasAll,
  matchPattern,
  type PatternParams,
  plainSegment,
} from './path-patterns.ts'

interface SourceRule {
  source: string
  has?: HasCondition[]
}

export interface RuleMatch<T> {
  rule: T
  params: PatternParams
}

export interface RuleIndex<T> {
  isEmpty: boolean
  /** All rules that fit, in the order of the configuration. `path` is raw and below basePath. */
  matches(path: string, facts: HasFacts): IterableIterator<RuleMatch<T>>
}

interface Prepared<T> {
  rule: T
  pattern: CompiledPattern
  order: number
}

/** Compiles the rules once. */
export function createRuleIndex<T extends SourceRule>(rules: readonly T[]): RuleIndex<T> {
  const byFirst = new Map<string, Prepared<T>[]>()
  const anywhere: Prepared<T>[] = []
  rules.forEach((rule, order) => {
    const prepared = { rule, pattern: compilePattern(rule.source), order }
    const first = prepared.pattern.parts[0]
    if (first?.name !== undefined) anywhere.push(prepared)
    else byFirst.set(first?.text ?? '', [...(byFirst.get(first?.text ?? '') ?? []), prepared])
  })
  // Rules that fit any first segment are merged into each list, so that order is kept.
  for (const [first, list] of byFirst)
    byFirst.set(
      first,
      [...list, ...anywhere].sort((left, right) => left.order - right.order),
    )
  return {
    isEmpty: rules.length === 0,
    *matches(path, facts) {
      for (const { rule, pattern } of byFirst.get(plainSegment(firstSegment(path))) ?? anywhere) {
        const params = matchPattern(pattern, path)
        if (params && hasAll(rule.has, facts)) yield { rule, params }
      }
    },
  }
}

/** The first segment that is not empty, as matchPattern counts segments; empty for the root. */
function firstSegment(path: string): string {
  let start = 0
  while (path.charCodeAt(start) === SLASH) start++
  const end = path.indexOf('/', start)
  return path.slice(start, end < 0 ? undefined : end)
}

const SLASH = 47
