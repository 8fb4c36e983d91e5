// Reads the stacks of errors as V8, Firefox and Safari write them, and cuts the lines around a fault out of a source.
// The development server and the overlay in the browser map the locations to files of the author.

import type { DevFrameLine } from '../dev/dev-wire.ts'

export interface StackFrame {
  /** Empty for a function without a name. */
  name: string
  /** A URL (`http:`, `file:`, `node:`) or an absolute path. */
  location: string
  /** From 1. */
  line: number
  /** From 1. */
  column: number
}

/** Frames shown to an author; deeper ones do not help. */
export const MAX_STACK_FRAMES = 30
/** Lines shown before and after the faulty one. */
const LINES_AROUND = 4

/** `), ` ends the inner location of an eval. */
const V8_FRAME =
  /^\s*at (?:(?:async )?(.*?) \()?(?:async )?((?:https?:\/\/|file:\/\/|node:|\/|[A-Za-z]:)(?:(?!\), ).)*?):(\d+):(\d+)\)?$/
const OTHER_FRAME = /^(?:(.*?)@)?((?:https?|file):\/\/.*?):(\d+):(\d+)$/

/** The frames that have a location, the innermost first. */
export function parseStackFrames(stack: string): StackFrame[] {
  return stack.split('\n').flatMap((text) => {
    const [, name = '', location = '', line, column] = V8_FRAME.exec(text) ?? OTHER_FRAME.exec(text) ?? []
    return location === '' ? [] : [{ name, location, line: Number(line), column: Number(column) }]
  })
}

/** Whether a line of a V8 error's text is a frame; messages of bundlers may contain a whole stack. */
export function isStackLine(text: string): boolean {
  return /^\s+at /.test(text)
}

/** The faulty line and the lines around it. */
export function codeFrame(source: string, faultLine: number): DevFrameLine[] {
  const first = Math.max(1, faultLine - LINES_AROUND)
  const lines = source.split('\n').slice(first - 1, faultLine + LINES_AROUND)
  return lines.map((text, index) => ({ line: first + index, text, isFault: first + index === faultLine }))
}
