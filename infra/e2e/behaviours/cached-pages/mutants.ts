// Loaded before a gateway by `--import`: the fault that MUTANT names, written into the source as it is loaded. With each of
// them the safety of cached pages must fail.

import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'

interface Mutant {
  file: string
  from: string
  to: string
}

const MUTANTS = {
  /** The key is the path of the request, not route and params. */
  'path-as-key': {
    file: 'send/page.ts',
    from: 'const page = pageOrBypass(request)',
    to: "const own = pageOrBypass(request); const page = typeof own === 'string' ? own : { ...own, name: exchange.pathname }",
  },
  /** The key has no params. */
  'route-as-key': {
    file: 'pages/page-key.ts',
    from: 'name: paramsKey(pattern, params, locale),',
    to: 'name: pattern,',
  },
  /** What belongs to one response is stored. */
  'stored-request-headers': {
    file: 'send/entry.ts',
    from: 'part.status, headers.slice()',
    to: 'part.status, headers as string[]',
  },
  /** All forms of a body have one tag. */
  'one-etag': {
    file: 'send/entry.ts',
    from: "formTag(etag, encoding, 'weak')",
    to: 'etag',
  },
  /** A conditional request is compared with the tags of the entry, whichever part was requested. */
  'etag-of-either-part': {
    file: 'send/entry.ts',
    from: 'notModifiedTag(exchange.ifNoneMatch, part.etag)',
    to: 'notModifiedTag(exchange.ifNoneMatch, sent.entry.data.etag ?? part.etag)',
  },
  /** The length of a HEAD is that of another form. */
  'plain-head': {
    file: 'send/entry.ts',
    from: 'const encoding = encodingOf(',
    to: "const encoding = request.method === 'HEAD' ? undefined : encodingOf(",
  },
  /** The policy of a document is not that of the entry. */
  'no-policy': {
    file: 'pages/kept-entry.ts',
    from: '...(policy ? [policy.name, policy.value] : [])',
    to: '',
  },
} as const satisfies Record<string, Mutant>

type MutantName = keyof typeof MUTANTS
export const MUTANT_NAMES = Object.keys(MUTANTS) as MutantName[]

/** The environment of a gateway with the fault. Throws where the source has no such place: the gateway would have no fault. */
export function environmentOf(name: MutantName): Record<string, string> {
  const { file, from } = MUTANTS[name]
  const source = readFileSync(new URL(`../../../../services/gateway/${file}`, import.meta.url), 'utf8')
  if (!source.includes(from)) throw new Error(`${file} does not contain ${JSON.stringify(from)}`)
  return { MUTANT: name, NODE_OPTIONS: `--import=${import.meta.url}` }
}

const name = process.env.MUTANT
if (name !== undefined) {
  const { file, from, to } = MUTANTS[name as MutantName]
  registerHooks({
    load(url, context, next) {
      const loaded = next(url, context)
      if (!url.endsWith(`/gateway/${file}`)) return loaded
      return { ...loaded, source: String(loaded.source).replace(from, to) }
    },
  })
}
