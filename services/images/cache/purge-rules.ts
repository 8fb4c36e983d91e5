// Decides which variants are purged (I9): each purge has a number, and each variant has the purge number at the time of
// the request for its source. A purge deletes nothing; a variant older than a matching rule counts as missing.

import type { VariantMeta } from './variant.ts'

const KINDS = ['source', 'prefix', 'tag'] as const

export interface PurgeTarget {
  kind: (typeof KINDS)[number]
  value: string
}

interface PurgeRule {
  number: number
  target: PurgeTarget
}

export type PurgeRules = ReturnType<typeof createPurgeRules>

/**
 * Limit of rules. Over the limit the oldest rules are dropped, and every variant older than a dropped rule counts as
 * purged.
 */
export const MOST_PURGE_RULES = 2000

/** Begins without rules. */
export function createPurgeRules(most: number = MOST_PURGE_RULES) {
  const byKind = {
    source: new Map<string, number>(),
    prefix: new Map<string, number>(),
    tag: new Map<string, number>(),
  }
  const order: PurgeRule[] = []
  let last = 0
  let floor = 0
  return {
    /** The number of the last rule known; 0 at first. */
    current: () => last,
    add(rule: PurgeRule): void {
      const { number, target } = rule
      const known = byKind[target.kind].get(target.value) ?? 0
      if (number > known) byKind[target.kind].set(target.value, number)
      last = Math.max(last, number)
      order.push(rule)
      while (order.length > most) {
        const oldest = order.shift()!
        floor = Math.max(floor, oldest.number)
        const map = byKind[oldest.target.kind]
        if (map.get(oldest.target.value) === oldest.number) map.delete(oldest.target.value)
      }
    },
    isPurged({ source, tags, generation }: Pick<VariantMeta, 'source' | 'tags' | 'generation'>): boolean {
      if (generation >= last) return false
      if (generation < floor || generation < (byKind.source.get(source) ?? 0)) return true
      if (tags.some((tag) => generation < (byKind.tag.get(tag) ?? 0))) return true
      for (const [prefix, number] of byKind.prefix) if (generation < number && source.startsWith(prefix)) return true
      return false
    },
  }
}

export function isPurgeKind(kind: unknown): kind is PurgeTarget['kind'] {
  return KINDS.some((known) => known === kind)
}

/** The form of a rule in Redis and in the file: `<number> <target as JSON>`. */
export function formatPurgeRule({ number, target }: PurgeRule): string {
  return `${number} ${JSON.stringify(target)}`
}

/** Undefined for other text, because the store may be damaged. */
export function parsePurgeRule(text: string): PurgeRule | undefined {
  const [, number, json] = /^(\d{1,16}) (\{.*)$/.exec(text) ?? []
  if (json === undefined) return undefined
  try {
    const { kind, value } = JSON.parse(json) as Record<string, unknown>
    return isPurgeKind(kind) && typeof value === 'string'
      ? { number: Number(number), target: { kind, value } }
      : undefined
  } catch {
    // This service writes only JSON; other text is ignored.
    return undefined
  }
}
