// Reads what matters to the overlay from Vite's own messages.

import type { DevError, DevFrameLine } from '../../../../services/shared/wire/dev-wire.ts'

export type ViteNews = { kind: 'error'; error: DevError } | { kind: 'update' } | { kind: 'other' }

/** `12 | text` or `> 12 | text`; lines with a caret alone are left out. */
const FRAME_LINE = /^(>?)\s*(\d+)\s*\|(?: {1,2}(.*))?$/

export function parseViteMessage(data: string): ViteNews {
  // Vite's own client reads the same text after us; its types say no more than this.
  const message = JSON.parse(data) as { type?: string; err?: Record<string, unknown> }
  if (message.type === 'update' || message.type === 'full-reload') return { kind: 'update' }
  if (message.type !== 'error' || !message.err) return { kind: 'other' }
  return { kind: 'error', error: readError(message.err) }
}

function readError(err: Record<string, unknown>): DevError {
  const { file, line, column } = (err.loc ?? {}) as { file?: unknown; line?: unknown; column?: unknown }
  const name = typeof file === 'string' ? file : err.id
  return {
    source: 'build',
    message: plain(err.message).trim(),
    ...(typeof name === 'string' && { file: name.split('?')[0]! }),
    ...(typeof line === 'number' && { line }),
    ...(typeof column === 'number' && { column: column + 1 }),
    frame: readFrame(plain(err.frame)),
    stack: [],
  }
}

function readFrame(frame: string): DevFrameLine[] {
  return frame.split('\n').flatMap((text) => {
    const [, mark, line, code = ''] = FRAME_LINE.exec(text.trimStart()) ?? []
    return line === undefined ? [] : [{ line: Number(line), text: code, isFault: mark === '>' }]
  })
}

/** Text without the colours of a terminal. */
function plain(value: unknown): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the escape character is what is looked for
  return typeof value === 'string' ? value.replace(/\u001b\[[\d;]*m/g, '') : ''
}
