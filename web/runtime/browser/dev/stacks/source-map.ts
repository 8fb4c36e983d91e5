// Reads the inline source map of a module that the development server sent, and finds the original of a position.

/** Lines count from 1, columns from 0; the columns of V8's stacks count from 1. */
interface Original {
  line: number
  column: number
}

export interface SourceMap {
  /** Text of the file before it was transformed. */
  source: string | undefined
  /** Undefined for code that a plugin added. `line` counts from 1, `column` from 0. */
  find(line: number, column: number): Original | undefined
}

const COMMENT = /^\/\/# sourceMappingURL=data:application\/json;(?:charset=[^;,]+;)?base64,([A-Za-z0-9+/=]+)\s*$/gm

/** The map at the end of a module's text; undefined when there is none. */
export function parseSourceMap(code: string): SourceMap | undefined {
  const encoded = [...code.matchAll(COMMENT)].at(-1)?.[1]
  if (encoded === undefined) return undefined
  try {
    const bytes = Uint8Array.from(atob(encoded), (letter) => letter.charCodeAt(0))
    const map = JSON.parse(new TextDecoder().decode(bytes)) as { mappings?: unknown; sourcesContent?: unknown[] }
    if (typeof map.mappings !== 'string') return undefined
    const lines = parseMappings(map.mappings)
    const source = map.sourcesContent?.[0]
    return {
      source: typeof source === 'string' ? source : undefined,
      find: (line, column) => findIn(lines[line - 1] ?? [], column),
    }
  } catch {
    // Without a readable map the overlay shows the served position.
    return undefined
  }
}

interface Segment {
  column: number
  original: Original | undefined
}

function findIn(segments: readonly Segment[], column: number): Original | undefined {
  return segments.findLast((segment) => segment.column <= column)?.original
}

/** Mappings of the source map format, revision 3: base-64 numbers, each relative to the one before. */
function parseMappings(mappings: string): Segment[][] {
  let sourceLine = 0
  let sourceColumn = 0
  return mappings.split(';').map((line) => {
    let column = 0
    const segments = line === '' ? [] : line.split(',')
    return segments.map((text) => {
      const [columnStep = 0, , lineStep, sourceStep = 0] = decodeNumbers(text)
      column += columnStep
      if (lineStep === undefined) return { column, original: undefined }
      sourceLine += lineStep
      sourceColumn += sourceStep
      return { column, original: { line: sourceLine + 1, column: sourceColumn } }
    })
  })
}

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

/** Each letter has five bits and a sixth that is set when more letters follow; a number's lowest bit is its sign. */
function decodeNumbers(text: string): number[] {
  const numbers: number[] = []
  let value = 0
  let shift = 0
  for (const letter of text) {
    const digit = DIGITS.indexOf(letter)
    value += (digit & 31) << shift
    shift += 5
    if (digit & 32) continue
    numbers.push(value & 1 ? -(value >> 1) : value >> 1)
    value = 0
    shift = 0
  }
  return numbers
}
