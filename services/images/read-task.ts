// From the text of a request to the variant that it names. What was asked before is not read again: reading takes longer
// than all else of a cached answer.

import { LRUCache } from 'lru-cache'
import type { ImageSettings } from '../shared/wire/build-output.ts'
import type { VariantTask } from './made-variant.ts'
import { negotiateFormat } from './negotiate-format.ts'
import { type ImageRequest, type ParamResult, type ParamRules, parseImageRequest } from './params.ts'
import { type TargetFormat, variantKey } from './variant.ts'

/** Requests that are remembered, and the longest of them in characters: 8 MB together at most. */
const REMEMBERED = 4000
const LONGEST_REMEMBERED = 1000

export interface NamedTask {
  kind: 'task'
  task: Omit<VariantTask, 'requestId'>
  /** Keys of wider variants of the same picture, nearest first. */
  widerKeys: () => readonly string[]
}

export type TaskReader = (
  search: string,
  accept: string | undefined,
) => NamedTask | Extract<ParamResult, { kind: 'refused' }>

/** Prepares the reading; `search` is empty or begins with `?`. */
export function createTaskReader(settings: ImageSettings, rules: ParamRules): TaskReader {
  const remembered = new LRUCache<string, NamedTask>({ max: REMEMBERED })
  // A change of these settings makes other answers of the same source.
  // SECURITY: SVG that was kept while it was allowed must not outlive its ban.
  const fingerprint = `${settings.effort.avif}.${settings.effort.webp}${settings.dangerouslyAllowSVG ? '.svg' : ''}`
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

  return function readTask(search, accept) {
    const format = negotiateFormat(accept, settings.formats)
    const name = format + search
    const before = remembered.get(name)
    if (before) return before
    const image = parseImageRequest(search, rules)
    if (image.kind === 'refused') return image
    const named = nameTask(image, format)
    if (search.length <= LONGEST_REMEMBERED) remembered.set(name, named)
    return named
  }
}
