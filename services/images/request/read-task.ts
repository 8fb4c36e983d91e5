// Parses a request to the variant that the request names. Recent results are remembered, because parsing takes longer
// than all other steps of a cached response.

import { LRUCache } from 'lru-cache'
import { type TargetFormat, variantKey } from '../cache/variant.ts'
import type { VariantTask } from '../make/made-variant.ts'
import type { ServedSettings } from '../served-settings.ts'
import { negotiateFormat } from './negotiate-format.ts'
import { type ImageRequest, type ParamRules, parseImageRequest, type Refusal } from './params.ts'

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
