// Parses a request to the variant that the request names (I1): every parameter has a closed set of values, and all
// other values are refused before a source is fetched; the Accept header becomes one format before the cache key is
// made (I2). Recent results are remembered, because parsing takes longer than all other steps of a cached response.
// Sizes of other builds are left to earlier-sizes.ts, addresses of sources to source/.

import type { ImageSettings } from '@portico/shared/wire/build-output.ts'
import { DEFAULT_IMAGE_QUALITY } from '@portico/shared/wire/constants.ts'
import { type ImageSizes, nearestQuality } from '@portico/shared/wire/image-sources.ts'
import { staticUrl } from '@portico/shared/wire/routing/urls.ts'
import { LRUCache } from 'lru-cache'
import type { ServedSettings } from '../config.ts'
import type { VariantTask } from '../make/make.ts'
import { createSourcePatterns, type Source, type SourcePatterns } from '../source/source.ts'
import { type TargetFormat, variantKey } from '../variant/variant.ts'
import type { EarlierSizes } from './earlier-sizes.ts'

export { createEarlierSizes, type EarlierSizes } from './earlier-sizes.ts'

/** Number of requests that are remembered, and the longest of them in characters: together 8 MB at most. */
const REMEMBERED = 4000
const LONGEST_REMEMBERED = 1000

interface NamedTask {
  kind: 'task'
  task: Omit<VariantTask, 'requestId'>
  /** Keys of wider variants of the same image, nearest first. */
  widerKeys: () => readonly string[]
}

/** Prepares a reader whose `search` is empty or begins with `?`. */
export function createTaskReader(settings: ServedSettings, rules: ParamRules) {
  const remembered = new LRUCache<string, NamedTask>({ max: REMEMBERED })
  // With other values of these settings the same source gives other responses.
  // SECURITY: an SVG that was cached while SVG was allowed must not be served after SVG is forbidden; the same holds for
  // types that the service does not decode.
  const allowed = `${settings.dangerouslyAllowSVG ? '.svg' : ''}${settings.semantics.undecodedImages ? '.next' : ''}`
  const fingerprint = `${settings.effort.avif}.${settings.effort.webp}${allowed}`
  const keyOf = ({ source, quality }: Extract<ImageRequest, { kind: 'image' }>, width: number, target: TargetFormat) =>
    variantKey([source.url, width, quality, target, fingerprint])

  const nameTask = (image: ImageRequest, format: TargetFormat): NamedTask => {
    const { source } = image
    if (image.kind === 'facts') {
      const task = { key: variantKey([source.url, 'facts']), source, target: 'facts', width: 0, quality: 0 } as const
      return { kind: 'task', task, widerKeys: () => [] }
    }
    const { width, quality } = image
    return {
      kind: 'task',
      task: { key: keyOf(image, width, format), source, target: format, width, quality },
      widerKeys: () => rules.widths.filter((wider) => wider > width).map((wider) => keyOf(image, wider, format)),
    }
  }

  return function readTask(search: string, accept: string | undefined, ignoresUnknown = false): NamedTask | Refusal {
    const format = negotiateFormat(accept, settings.formats)
    const name = `${format}${ignoresUnknown ? '+' : ''}${search}`
    const before = remembered.get(name)
    if (before) return before
    const image = parseImageRequest(search, rules, ignoresUnknown)
    if (image.kind === 'refused') return image
    const named = nameTask(image, format)
    if (search.length <= LONGEST_REMEMBERED) remembered.set(name, named)
    return named
  }
}

/** For requests whose size this build refuses. */
export function createEarlierReader(settings: ServedSettings, rules: ParamRules, earlierSizes: EarlierSizes) {
  let made: { sizes: ImageSizes; readTask: ReturnType<typeof createTaskReader> } | undefined
  return async (refusal: Refusal, ...read: Parameters<ReturnType<typeof createTaskReader>>) => {
    const sizes = await earlierSizes()
    if (made?.sizes !== sizes) made = { sizes, readTask: createTaskReader(settings, withSizes(rules, sizes)) }
    const named = made.readTask(...read)
    // The error lists the sizes of this build.
    return named.kind === 'refused' ? refusal : named
  }
}

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
function withSizes(rules: ParamRules, { widths, qualities }: ImageSizes): ParamRules {
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

/**
 * The offered format to which the client gives the highest q-value; between equal q-values the order of `formats`
 * decides. Wildcards never mean AVIF or WebP (curl and old browsers send `image/*`), but a wildcard gives the source's
 * own format its q-value: `image/webp;q=0.5, image/*` gets the own format. A general negotiator lets wildcards match
 * and decides by the client's order, so a general negotiator cannot be used (RFC 9110 section 12.5.1).
 */
export function negotiateFormat(
  accept: string | undefined,
  formats: ImageSettings['formats'],
): 'avif' | 'webp' | 'own' {
  if (accept === undefined || accept === '') return 'own'
  const weights = parseAccept(accept)
  const own = Math.max(
    ...['image/jpeg', 'image/png'].map(
      (type) => weights.get(type) ?? weights.get('image/*') ?? weights.get('*/*') ?? 0,
    ),
  )
  let best: 'avif' | 'webp' | 'own' = 'own'
  let bestWeight = 0
  for (const format of formats) {
    const weight = weights.get(format) ?? 0
    if (weight > bestWeight && weight >= own) {
      best = format === 'image/avif' ? 'avif' : 'webp'
      bestWeight = weight
    }
  }
  return best
}

function parseAccept(accept: string): Map<string, number> {
  const weights = new Map<string, number>()
  // SECURITY: a header of thousands of ranges costs a bounded time.
  for (const range of accept.slice(0, 1000).split(',')) {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase())
    const quality = parameters.find((parameter) => /^q\s*=/.test(parameter))
    const weight = quality === undefined ? 1 : Number(quality.replace(/^q\s*=\s*/, ''))
    // A range whose q-value is not a number is ignored.
    if (type !== '' && weight >= 0 && weight <= 1) weights.set(type, weight)
  }
  return weights
}
