// Rules of portico.config.ts for some paths (R7), indexed so that a request is compared only with the rules whose first
// segment can fit.

import type { IncomingMessage } from 'node:http'
import {
  type CompiledPattern,
  compilePattern,
  type HasCondition,
  type HasFacts,
  hasAll,
  matchPattern,
  type PatternParams,
  plainSegment,
} from '@portico/shared/wire/routing/path-patterns.ts'
import type { ForwardedFacts } from '../proxy/headers/forwarded.ts'

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
      const end = path.indexOf('/', 1)
      for (const { rule, pattern } of byFirst.get(plainSegment(path.slice(1, end < 0 ? undefined : end))) ?? anywhere) {
        const params = matchPattern(pattern, path)
        if (params && hasAll(rule.has, facts)) yield { rule, params }
      }
    },
  }
}

/** The facts of a request for `has` conditions; each is read only when a condition needs it. */
export function factsOf(request: IncomingMessage, search: string, forwarded: ForwardedFacts): HasFacts {
  return {
    host: forwarded.host.replace(/:\d+$/, ''),
    header(name) {
      const value = request.headers[name.toLowerCase()]
      return Array.isArray(value) ? value.join(', ') : value
    },
    cookie: (name) => cookieOf(request.headers.cookie, name),
    query: (name) => new URLSearchParams(search).get(name) ?? undefined,
  }
}

function cookieOf(header: string | undefined, name: string): string | undefined {
  for (const pair of (header ?? '').split(';')) {
    const equals = pair.indexOf('=')
    if (equals > 0 && pair.slice(0, equals).trim() === name) return pair.slice(equals + 1).trim()
  }
  return undefined
}
