// A raw pathname in the form that patterns are compared with: percent-decoded, in lower case, without empty segments and
// without a slash at the end; and back from positions in it to the raw text.

export interface ComparablePath {
  /** What is compared; a slash within a segment (%2F) is NUL, which no path of a request contains. */
  text: string
  /** With the percent-encoding of the request. */
  raw: string
  /** For each position of `text` the position in `raw`; undefined where both are equal. */
  offsets: readonly number[] | undefined
}

const UNUSUAL = /[%A-Z]|\/\//
const SLASH = 47

/** `isExact`: upper case remains. */
export function comparablePath(pathname: string, isExact = false): ComparablePath {
  const write = isExact ? (text: string) => text : foldCase
  // Fast path: nearly every path is like this.
  if (!UNUSUAL.test(pathname) && (pathname.length === 1 || pathname.charCodeAt(pathname.length - 1) !== SLASH))
    return { text: pathname, raw: pathname, offsets: undefined }
  const single = pathname.replace(/\/{2,}/g, '/')
  const raw = single.length > 1 && single.endsWith('/') ? single.slice(0, -1) : single
  if (!raw.includes('%')) return { text: write(raw), raw, offsets: undefined }
  let text = ''
  const offsets: number[] = []
  let start = 0
  for (const segment of raw.split('/')) {
    if (start > 0) {
      text += '/'
      offsets.push(start - 1)
    }
    const isDecodable = segment.includes('%') && decode(segment) !== undefined
    for (const [part] of segment.matchAll(isDecodable ? /(?:%[0-9A-Fa-f]{2})+|[^%]+/g : /.+/gs)) {
      const isEncoded = isDecodable && part.startsWith('%')
      const plain = isEncoded ? decode(part)! : part
      let at = start
      for (const char of plain) {
        const length = isEncoded ? escapedLength(char) : char.length
        offsets.push(at)
        // The second unit of a surrogate pair has the position after the character.
        if (char.length > 1) offsets.push(at + length)
        at += length
      }
      start += part.length
      text += plain.replaceAll('/', '\0')
    }
    start++
  }
  offsets.push(raw.length)
  return { text: write(text), raw, offsets }
}

/** The raw text between two positions of `text`. */
export function sliceOf({ raw, offsets }: ComparablePath, from: number, to: number): string {
  return offsets ? raw.slice(offsets[from], offsets[to]) : raw.slice(from, to)
}

/** ASCII letters in lower case: as in Next.js, patterns do not distinguish the case. */
export function foldCase(text: string): string {
  return /[A-Z]/.test(text) ? text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase()) : text
}

/** The text of a pattern, decoded as the segments of a path are. */
export function plainText(raw: string): string {
  if (!raw.includes('%')) return raw
  return raw
    .split('/')
    .map((segment) => decode(segment)?.replaceAll('/', '\0') ?? segment)
    .join('/')
}

/** Undefined for a malformed sequence, which matches no text; the route table responds 400. */
function decode(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment)
  } catch {
    return undefined
  }
}

/** The characters of a percent-encoded character: three for each byte in UTF-8. */
function escapedLength(char: string): number {
  const code = char.codePointAt(0)!
  return 3 * (code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4)
}
