// The command line of the purge command: what is purged, in the order of the lines that the command prints. Pure.

import { parseArgs } from 'node:util'
import { nameRule, pathRule, shown } from '../purge-body.ts'

interface PurgePlan {
  /** The one change of pages and data; undefined for none. */
  pages: { body: { paths: string[]; tags: string[]; everything: boolean }; names: string[] } | undefined
  /** Each purge of images with its name. */
  images: { body: object; name: string }[]
}

/** Options that have a value, with the rule that a value breaks; the gateway and the images service check the rest. */
const RULES: Readonly<Record<string, (value: unknown) => string | undefined>> = {
  path: pathRule,
  'page-tag': nameRule,
  source: addressRule,
  prefix: addressRule,
  tag: nameRule,
}
const text = { type: 'string', multiple: true, default: [] as string[] } as const
const flag = { type: 'boolean', default: false } as const

/** Throws TypeError of parseArgs for options that the command does not have. */
export function readPurgeOptions(args: readonly string[]): PurgePlan | { help: true } | { fault: string } {
  const { values } = parseArgs({
    args: [...args],
    options: {
      ...{ path: text, 'page-tag': text, pages: flag },
      ...{ source: text, prefix: text, tag: text, images: flag },
      ...{ everything: flag, help: flag },
    },
  })
  if (values.help) return { help: true }
  for (const [option, given] of Object.entries(values))
    for (const value of Array.isArray(given) ? given : []) {
      const rule = RULES[option]?.(value)
      if (rule !== undefined) return { fault: `--${option}=${shown(value)} ${rule}` }
    }
  const { path: paths, 'page-tag': tags } = values
  const allPages = values.pages || values.everything
  const allImages = values.images || values.everything
  const names = [...paths.map((path) => `path ${path}`), ...tags.map((tag) => `page-tag ${tag}`)]
  if (allPages) names.push('pages')
  const images = (['source', 'prefix', 'tag'] as const).flatMap((kind) =>
    values[kind].map((value) => ({ name: `${kind} ${value}`, body: { [kind]: value } as object })),
  )
  if (allImages) images.push({ name: 'images', body: { everything: true } })
  if (names.length === 0 && images.length === 0)
    return { fault: `nothing to purge: give --${OPTIONS.join(', --')} or --everything` }
  // One change: no client sees one of the pages purged and another one not.
  return { pages: names.length > 0 ? { body: { paths, tags, everything: allPages }, names } : undefined, images }
}

const OPTIONS = ['path', 'page-tag', 'pages', 'source', 'prefix', 'tag', 'images']

function addressRule(value: unknown): string | undefined {
  const isAddress = typeof value === 'string' && (/^\/(?!\/)/.test(value) || /^https?:\/\/[^/]/i.test(value))
  return isAddress ? undefined : 'must begin with one "/", or be an absolute http or https URL'
}
