// Page data with deferred values (W2): lines, or one JSON in which all promises have settled.

import type { DeferredLine } from '@portico/shared/wire/deferred/lines.ts'
import { type PageData, parsePageData } from '@portico/shared/wire/page-data.ts'
import type { ReceivedData } from '../view.ts'
import { open } from './deferred.ts'

/** Puts promises into page data in which all of them have settled. */
export function openData(data: Extract<PageData, { kind: 'page' }>): void {
  open(data).end()
  delete data.deferred
}

/**
 * Resolves with the first line, and settles the promises of its props as lines arrive.
 * Undefined for a response that is no page data. A response that ends early is an error in each open promise.
 * `abort` ends the transfer.
 */
export async function receiveLines(
  { body }: Response,
  longestSilenceMs: number,
  abort: () => void,
): Promise<ReceivedData | undefined> {
  const source = body!.pipeThrough(new TextDecoderStream()).getReader()
  const lines = readLines(() => readInTime(source, longestSilenceMs, abort))
  const { value } = await lines.next()
  const data = parsePageData(value)
  if (data?.kind !== 'page') return data
  const { settle, end } = open(data)
  let isLeft = false
  const follow = async () => {
    try {
      for await (const line of lines) settle(line as DeferredLine)
    } catch {
      // The connection broke, or a line is no JSON.
    }
    // Parts of a page that is left may still be in the document: they must not show an error.
    if (!isLeft) end()
  }
  void follow()
  const close = () => {
    isLeft = true
    abort()
  }
  return { ...data, close }
}

async function* readLines(read: () => Promise<ReadableStreamReadResult<string>>): AsyncGenerator<unknown> {
  let rest = ''
  for (let piece = await read(); !piece.done; piece = await read()) {
    const [first = '', ...more] = piece.value.split('\n')
    rest += first
    for (const text of more) {
      yield JSON.parse(rest)
      rest = text
    }
  }
}

/** As `read`; a silent connection ends. */
async function readInTime(
  source: ReadableStreamDefaultReader<string>,
  longestSilenceMs: number,
  abort: () => void,
): Promise<ReadableStreamReadResult<string>> {
  const timer = setTimeout(abort, longestSilenceMs)
  try {
    return await source.read()
  } finally {
    clearTimeout(timer)
  }
}
