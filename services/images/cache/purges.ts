// Purges of variants (I9): which variants are purged, the inner endpoint POST /internal/purge {source}, {prefix}, {tag}
// or {everything: true}, and purges without Redis, by a file. Each purge has a number, and each variant has the purge
// number at the time of the request for its source: a purge deletes nothing, a variant older than a matching rule
// counts as missing.

import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sendError } from '@portico/shared/kit/http/error-response.ts'
import { type InnerRoute, sendJson } from '@portico/shared/kit/life/inner-port.ts'
import type { Log } from '@portico/shared/kit/observe/log.ts'
import { normaliseLocal, normaliseRemote, spellPath } from '../source/source.ts'
import type { VariantMeta } from '../variant/variant.ts'

const KINDS = ['source', 'prefix', 'tag'] as const

export interface PurgeTarget {
  kind: (typeof KINDS)[number]
  value: string
}

interface PurgeRule {
  number: number
  target: PurgeTarget
}

type PurgeRules = ReturnType<typeof createPurgeRules>

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

function isPurgeKind(kind: unknown): kind is PurgeTarget['kind'] {
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

export interface Purges extends Pick<PurgeRules, 'current' | 'isPurged'> {
  /** Publishes a rule to all replicas. Rejects when the rule could not be published. */
  purge(target: PurgeTarget): Promise<Purged>
  /** Compares the counter of a store read: loads rules that were missed, restores rules that Redis has evicted. */
  observe(counter: number | undefined): Promise<void>
}

interface Purged {
  /** The number of the rule. */
  generation: number
  /** Replicas that received the rule; one that is not connected reads the rules when it connects. */
  replicas: number
}

/**
 * Purges for the processes of one machine, stored in a file next to the disk cache so that purges survive a restart. Each
 * process receives every purge, and writes all of its rules. A number is the time of the purge: a variant whose number is
 * later in another process was requested from its source after the purge.
 */
export async function createFilePurges(dir: string, log: Log, now: () => number = Date.now): Promise<Purges> {
  const rules = createPurgeRules()
  const file = join(dir, 'purges.txt')
  // Another process of this service may write at the same time.
  const draft = `${file}.${process.pid}.tmp`
  await mkdir(dir, { recursive: true })
  let lines = await readLines(file)
  for (const line of lines) {
    const rule = parsePurgeRule(line)
    if (rule) rules.add(rule)
  }
  let writing: Promise<void> = Promise.resolve()
  return {
    current: rules.current,
    isPurged: rules.isPurged,
    async purge(target) {
      const number = Math.max(rules.current() + 1, now())
      rules.add({ number, target })
      lines = [...lines, formatPurgeRule({ number, target })].slice(-MOST_PURGE_RULES)
      const text = `${lines.join('\n')}\n`
      // Writes run one after the other: an earlier text must not replace a later one.
      writing = writing
        .then(() => writeFile(draft, text))
        .then(() => rename(draft, file))
        .catch((error: unknown) =>
          log.warn({ event: 'purges-write', error }, 'purge not written: a restart forgets the purge'),
        )
      await writing
      return { generation: number, replicas: 1 }
    },
    observe: async () => {},
  }
}

async function readLines(file: string): Promise<string[]> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return ''
    throw error
  })
  return text.split('\n').filter((line) => line !== '')
}

/**
 * Responds 200 `{"generation": n, "replicas": n}` when all connected replicas were notified, 503 when the store rejected
 * the purge.
 */
export function createPurgeRoute(purges: Purges, basePath: string, log: Log): InnerRoute {
  return {
    method: 'POST',
    path: '/internal/purge',
    bodyLimitBytes: 16_384,
    async handler(body, _request, response) {
      const target = parsePurgeBody(body, basePath)
      if ('rule' in target) return sendError(response, 'data', { code: 'bad-request', message: target.rule })
      try {
        const { generation, replicas } = await purges.purge(target)
        log.info({ event: 'purge', kind: target.kind, generation }, 'purged')
        sendJson(response, 200, { generation, replicas })
      } catch (error) {
        log.error({ event: 'purge', error }, 'purge not published')
        sendError(response, 'data', { code: 'purge-failed' })
      }
    },
  }
}

/** Sources that may not be requested may still be purged. */
const isAny = () => true

/** Every source begins with it. */
const ALL_SOURCES: PurgeTarget = { kind: 'prefix', value: '' }

/** Accepts exactly one of the four members; normalises a source as for the cache. */
export function parsePurgeBody(body: unknown, basePath: string): PurgeTarget | { rule: string } {
  const members = typeof body === 'object' && body !== null ? Object.entries(body) : []
  const [kind, value] = members[0] ?? []
  if (members.length === 1 && kind === 'everything')
    return value === true ? ALL_SOURCES : { rule: 'everything must be true' }
  if (members.length !== 1 || !isPurgeKind(kind))
    return { rule: 'the body must be a JSON object with exactly one of source, prefix, tag and everything' }
  if (typeof value !== 'string' || value === '' || value.length > 3072)
    return { rule: `${kind} must be a text of 1 to 3072 characters` }
  if (kind === 'tag') return { kind, value }
  if (kind === 'prefix') {
    if (/^\/(?!\/)/.test(value)) return { kind, value: spellPath(new URL(value, 'http://site.invalid').pathname) }
    return URL.canParse(value) ? { kind, value: new URL(value).href } : { rule: 'prefix must begin with / or be a URL' }
  }
  const source = value.startsWith('/') ? normaliseLocal(value, basePath, isAny) : normaliseRemote(value)
  if ('rule' in source) return { rule: `source ${source.rule}` }
  return { kind, value: typeof source.url === 'string' ? source.url : source.url.href }
}
