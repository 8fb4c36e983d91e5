// For tests: entries as a renderer sends them.

import { entityTag } from '@portico/shared/kit/http/conditional.ts'
import { type EntryFacts, type EntryOutcome, formatEntry, parseEntry } from '@portico/shared/wire/page-entry.ts'
import { type Arrival, type KeptEntry, keepEntry } from '../kept-entry.ts'
import type { Page } from '../page-key.ts'

const PAGE: Page = { as: 'entry', pattern: '/about', params: {}, name: '[] /about', isFixed: true }

const FACTS: EntryFacts = {
  version: 'build1.x',
  verdict: 'MISS',
  confirmation: 'confirmed',
  ageMs: 0,
  freshMs: null,
  tags: [],
}

/** The bytes of a page's entry. */
export function pageEntry(text: string, facts: Partial<EntryFacts> = {}, status: 200 | 404 = 200): Buffer {
  const html = Buffer.from(`<!DOCTYPE html><title>${text}</title>${'<p>filler</p>'.repeat(200)}`)
  const data = Buffer.from(JSON.stringify({ kind: 'page', route: '/about', params: {}, props: { text } }))
  const [htmlEtag, dataEtag] = [entityTag(html), entityTag(data)]
  const policy = { name: 'content-security-policy', value: "default-src 'self'" } as const
  return outcomeEntry({ kind: 'page', status, htmlEtag, dataEtag, policy, link: '</a.js>; rel=modulepreload' }, facts, {
    html,
    data,
  })
}

export function outcomeEntry(
  outcome: EntryOutcome,
  facts: Partial<EntryFacts> = {},
  bytes?: { html?: Buffer; data?: Buffer },
): Buffer {
  return formatEntry({ ...FACTS, ...facts }, outcome, bytes)
}

const ARRIVAL: Arrival = { asOf: { era: 0, generation: 0, unordered: 0 }, revision: 0, now: 0, by: 'renderer' }

/** A kept entry. */
export function keptPage(text = 'text'): KeptEntry {
  return keepEntry(PAGE, parseEntry(pageEntry(text))!, ARRIVAL)!
}
