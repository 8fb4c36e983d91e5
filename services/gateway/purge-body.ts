// The body of a purge of pages (C6). Pure.

import type { Change } from '@portico/shared/wire/invalidation.ts'

/** Paths and tags of one purge. Purge everything instead of more. */
export const MOST_NAMES = 1000
/** Characters of one path or tag. */
const LONGEST_NAME = 2048
const MEMBERS = ['paths', 'tags', 'everything']
/** Characters of a refused value in the text. */
const SHOWN_CHARACTERS = 80

/** The change that the body names, or the rule that it breaks: field, value, rule. */
export function parsePurgeBody(body: unknown): Required<Change> | { rule: string } {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    return { rule: 'the body must be a JSON object' }
  const unknown = Object.keys(body).find((name) => !MEMBERS.includes(name))
  if (unknown !== undefined) return { rule: `${shown(unknown)} is not a member; members: ${MEMBERS.join(', ')}` }
  const { paths = [], tags = [], everything = false } = body as Record<string, unknown>
  if (!Array.isArray(paths)) return { rule: `paths=${shown(paths)} must be a list of texts` }
  if (!Array.isArray(tags)) return { rule: `tags=${shown(tags)} must be a list of texts` }
  if (typeof everything !== 'boolean') return { rule: `everything=${shown(everything)} must be true or false` }
  const count = paths.length + tags.length
  if (count === 0 && !everything) return { rule: 'the body names nothing; it must have paths, tags or everything' }
  if (count > MOST_NAMES) return { rule: `${count} names are too many; a purge has at most ${MOST_NAMES}` }
  const fault = faultOf('paths', paths, pathRule) ?? faultOf('tags', tags, nameRule)
  // Both lists were checked above.
  return fault === undefined ? { paths: paths as string[], tags: tags as string[], everything } : { rule: fault }
}

function faultOf(field: string, values: unknown[], ruleOf: (value: unknown) => string | undefined) {
  for (const [at, value] of values.entries()) {
    const rule = ruleOf(value)
    if (rule !== undefined) return `${field}[${at}]=${shown(value)} ${rule}`
  }
  return undefined
}

/** The rule that a tag breaks. */
export function nameRule(value: unknown): string | undefined {
  if (typeof value !== 'string' || value === '' || value.length > LONGEST_NAME)
    return `must be a text of 1 to ${LONGEST_NAME} characters`
  return undefined
}

/** The rule that a path breaks: a query or an origin would name no page, and the purge would do nothing. */
export function pathRule(value: unknown): string | undefined {
  const rule = nameRule(value)
  if (rule !== undefined || typeof value !== 'string') return rule
  return /^\/(?!\/)[^?#]*$/.test(value) ? undefined : 'must begin with one "/" and have no "?" or "#" (write %3F, %23)'
}

/** A refused value in a text. */
export function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value)
  return text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text
}
