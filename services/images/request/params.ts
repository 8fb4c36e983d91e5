// Parses the query of an image request (I1). Every parameter has a closed set of values; all other values are refused
// before a source is fetched.

import type { ImageSettings } from '@portico/shared/wire/build-output.ts'
import { DEFAULT_IMAGE_QUALITY } from '@portico/shared/wire/constants.ts'
import { type ImageSizes, nearestQuality } from '@portico/shared/wire/image-sources.ts'
import { staticUrl } from '@portico/shared/wire/routing/urls.ts'
import { createSourcePatterns, type Source, type SourcePatterns } from '../source/patterns.ts'

export type ImageRequest =
  | { kind: 'image'; source: Source; width: number; quality: number }
  /** Real dimensions and a blur placeholder as JSON (I8). */
  | { kind: 'facts'; source: Source }

export interface Refusal {
  kind: 'refused'
  parameter: string
  value: string
  rule: string
  /** The value is a number, which another build may allow. */
  isSize?: true
}

export interface ParamRules {
  settings: ImageSettings
  patterns: SourcePatterns
  /** Allowed widths, ascending. */
  widths: readonly number[]
  qualities: readonly number[]
  /** An imported image whose address has `assetPrefix` is a file of the site: its path there. Any other source unchanged. */
  sourceOf: (value: string) => string
}

/** Prepares the rules for all requests, once at boot. */
export function createParamRules(settings: ImageSettings, basePath: string, assetPrefix = basePath): ParamRules {
  const widths = [...new Set([...settings.imageSizes, ...settings.deviceSizes])].sort((a, b) => a - b)
  const imported = staticUrl(assetPrefix, '')
  const sourceOf = (value: string) =>
    value.startsWith(imported) ? staticUrl(basePath, value.slice(imported.length)) : value
  return {
    settings,
    patterns: createSourcePatterns(settings, basePath),
    widths,
    qualities: settings.qualities,
    sourceOf,
  }
}

/** The rules with more sizes. A request without a quality has that of this build. */
export function withSizes(rules: ParamRules, { widths, qualities }: ImageSizes): ParamRules {
  return {
    ...rules,
    widths: [...new Set([...rules.widths, ...widths])].sort((a, b) => a - b),
    qualities: [...rules.qualities, ...qualities],
  }
}

const NAMES: Readonly<Record<string, 'url' | 'w' | 'q' | 'placeholder'>> = {
  url: 'url',
  w: 'w',
  width: 'w',
  q: 'q',
  quality: 'q',
  placeholder: 'placeholder',
}

/** `search` is empty or begins with `?`. With `ignoresUnknown` parameters that have no meaning are left out. */
export function parseImageRequest(search: string, rules: ParamRules, ignoresUnknown = false): ImageRequest | Refusal {
  const given = readNames(search, ignoresUnknown)
  if ('kind' in given) return given
  const source = parseSource(given.url, rules)
  if (source.kind === 'refused') return source
  if (given.placeholder !== undefined) {
    if (given.placeholder.value !== '1') return refuse(given.placeholder, 'must be 1')
    const size = given.w ?? given.q
    return size ? refuse(size, 'must not be combined with placeholder') : { kind: 'facts', source }
  }
  const { settings, widths, qualities } = rules
  if (!given.w) return refuse({ name: 'w', value: '' }, `is missing; ${listRule(widths)}`)
  const width = parseMember(given.w, widths)
  if (typeof width !== 'number') return width
  const quality = given.q ? parseMember(given.q, qualities) : nearestQuality(DEFAULT_IMAGE_QUALITY, settings.qualities)
  if (typeof quality !== 'number') return quality
  return { kind: 'image', source, width, quality }
}

interface Given {
  name: string
  value: string
}

function readNames(
  search: string,
  ignoresUnknown: boolean,
): Partial<Record<'url' | 'w' | 'q' | 'placeholder', Given>> | Refusal {
  const given: Partial<Record<'url' | 'w' | 'q' | 'placeholder', Given>> = {}
  for (const [name, value] of new URLSearchParams(search)) {
    const meaning = Object.hasOwn(NAMES, name) ? NAMES[name] : undefined
    if (!meaning && ignoresUnknown) continue
    // SECURITY: with unknown parameters a client could fill every cache in front of this service with new entries.
    if (!meaning) return refuse({ name, value }, 'is not a parameter; allowed parameters: url, w, q, placeholder')
    const earlier = given[meaning]
    if (earlier)
      return refuse(
        { name, value },
        earlier.name === name ? 'is given twice' : `must not be combined with ${earlier.name}`,
      )
    given[meaning] = { name, value }
  }
  return given
}

function parseSource(given: Given | undefined, { patterns, sourceOf }: ParamRules): Source | Refusal {
  if (!given || given.value === '') return refuse(given ?? { name: 'url', value: '' }, 'is missing')
  const value = sourceOf(given.value)
  const source = value.startsWith('/') ? patterns.parseLocal(value) : patterns.parseRemote(value)
  return 'rule' in source ? refuse(given, source.rule) : source
}

function parseMember(given: Given, members: readonly number[]): number | Refusal {
  const number = /^[1-9]\d{0,4}$/.test(given.value) ? Number(given.value) : Number.NaN
  if (members.includes(number)) return number
  return { ...refuse(given, listRule(members)), ...(Number.isNaN(number) ? {} : { isSize: true }) }
}

function listRule(members: readonly number[]): string {
  return `must be one of ${members.join(', ')}`
}

function refuse(given: Given, rule: string): Refusal {
  return { kind: 'refused', parameter: given.name.slice(0, 40), value: given.value.slice(0, 120), rule }
}
